"""Which language a text in Latin letters is in, by its function words; nothing is said of a doubtful one."""

from __future__ import annotations

import re
from itertools import pairwise

_LONGEST_READ = 2_000  # characters that are looked at
_WORDS = {
    "en": "a about add after again all allow also always am an and another answered any appear are as ask asked at "
    "away back bad be because been before being believe best better big book both bought boy bring brother but "
    "buy by call called came can cat change child city come consider continue could country create cried cut "
    "day days dead decide did die died dies do does dog doing done door down each early eight even evening ever "
    "every eye fall false father feel fell felt few find fine first five follow food for found four friend from "
    "get girl give go going gone good got great grow had hand happen hard has have having he head hello her "
    "here hi high him his hold home hours house how hundred i if in include into is it its just keep kill know "
    "last late laughed lead learn least led left let life like little live long look lose lost love loved low "
    "made make man many may me meet men met might million mine minutes money more morning most mother move mr "
    "mrs much must my need needs never new next nice night nine no nobody nor not nothing now number of off "
    "offer often ok okay old on once one only open or other our out over own paid pass pay people per please "
    "pull put raise reach read real remember replied report require right room run said same sat saw say school "
    "seconds see seen sell serve set seven shall she short should show sir sister sit six small smiled so sold "
    "some something soon sorry speak spend spent spoke stand start stay still stood stop such sure take tell "
    "ten than thank thanks that the their them then there these they thing things think thirty this those "
    "though thousand three through time to today together told too took tried true try turn twenty two under "
    "understand until up upon us use used very wait waited walk want wants was watch water way we weeks well "
    "went were what when where which while who whole whom whose why will win with within without woman women "
    "won word words work world would write wrong wrote year years yes yet you young your yours zero",
    "fr": "ai après au aucun aussi autre autres aux avait avec avez avons beaucoup bien bon bonjour c' ce cela ces "
    "cet cette chaque chez ci comme comment d' dans de depuis des deux dire dit doit donc dont du déjà elle "
    "elles en encore entre est et eux faire fait faut font ici il ils j' jamais je jusqu' l' la le les leur "
    "leurs lui là m' ma mais merci mes moi moins mon même n' ne ni non nos notre nous ont ou oui où par parce "
    "pas peu peut plus pour pourquoi près puis qu' quand que quel quelle quelque quelques qui quoi rien s' sa "
    "sans se ses si son sont sous souvent suis sur t' ta te temps tes toi ton toujours tous tout toute toutes "
    "trop très tu un une va vais veut veux vos votre vous vraiment y à ça étaient était été être",
    "de": "aber alle als auch auf aus bei bin bis bist da dann das dass dein deine dem den denn der des dich diese "
    "dieser dieses dir doch du durch ein eine einem einen einer eines er es etwas euch für gegen gehen geht "
    "gibt gut habe haben hast hatte hatten hier ich ihm ihn ihr ihre im immer ist ja jetzt kann kein keine "
    "können machen mehr mein meine mich mir mit muss nach nicht nichts noch nun nur ob oder ohne schon sehr "
    "sein seine seit sich sie sind um und uns unser unter viel vom von vor waren warum weil wenn wer werden wie "
    "wieder wir wird wo wollen wurde zu zum zur zwischen über",
    "es": "al algo antes aquí así aunque bien cada casa como con contra cosa cual cuando cuándo cómo de del desde "
    "donde dos dónde el ella ellos en entre era eres es esa ese eso esta estaba estas este esto estos estoy "
    "está están fue gracias gusta había hace hacer han hasta hay hola la las le les lo los mi mis mucho muchos "
    "muy más nada ni nos nosotros nunca o otra otro para pero poco por porque puede que quien quiero quién qué "
    "se sea ser si siempre sin sobre solo son soy su sus sí sólo también tan tanto te tener tengo ti tiempo "
    "tiene tienen toda todo todos tu tus tú un una uno unos usted y ya yo él",
    "it": "abbiamo ai al alla alle anche ancora avere bene c' che chi ci con cosa così cui d' da dal dalla degli dei "
    "del dell' della delle di dire dopo dove due e ed era essere fare fatto gli grazie hai hanno ho il io l' la "
    "le lei li lo loro lui ma mai mi mia mio molto nel nell' nella noi non nostro o ogni ora perché più poi "
    "prima proprio può qualche quando quanto quella quello questa queste questo qui se sei sempre senza si sia "
    "siamo sono sta stata stato sua sue sul sulla suo suoi te tempo ti tu tutti tutto un un' una uno vi voglio "
    "è",
    "pt": "ainda ao aos aqui assim até bem cada com como da das de depois dos e ela ele eles em entre era essa esse "
    "esta estava este está eu foi há isso isto já lhe mais mas mesmo meu minha muito na nada nas nem nos nossa "
    "nosso nunca não o obrigado os ou para pela pelo pode por porque qual quando que quem se sem sempre ser seu "
    "seus sobre sou sua suas são também te tem tempo tenho ter teu todo todos tu tudo um uma você vocês vou é",
    "nl": "aan al alles als altijd andere ben bij daar dan dat de deze dit doen dus een eens en er ga gaan geen goed "
    "heb hebben heeft hem het hier hij hoe hun iets ik ja jaar je jij jullie kan kunnen maar meer mij mijn moet "
    "na naar niet niets nog nu om omdat onder ons ook op te toch toen tot u uit van veel voor waar wat weer wel "
    "wie wij wil worden wordt zal ze zei zich zij zijn zo zou",
}
"""The commonest words of each language; English ones are in no other list."""

_KNOWN = {code: frozenset(words.split()) for code, words in _WORDS.items()}
_OF_NAMES = "d' da de del des di du el l' la le los madame monsieur van von"
_PARTICLES = frozenset(_OF_NAMES.split())
_ENDINGS = frozenset(("s", "t", "re", "ve", "ll", "d", "m"))
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_FEWEST, _SHORT, _LONG = 3, 4, 7
"""Words of a text of which anything is said, in which one word tells, and which would have an English one."""


def latin_language(text: str) -> str | None:
    """Return the language of a text in Latin letters."""
    words = _words(text[:_LONGEST_READ].replace("\u2019", "'"))
    small = {each for each in words if each[0].islower()}
    seen = {each.lower() for each in words}
    named = _PARTICLES & {each.lower() for each, after in pairwise(words) if after.istitle()}
    told = {code: (seen - named) & known for code, known in _KNOWN.items()}
    english = len(told.pop("en")) + any(each[0] == "'" for each in seen)
    most = max(map(len, told.values()))
    found = [code for code in told if len(told[code]) == most]
    if english and (most < 2 or most <= english):
        return "en"
    if len(words) < _FEWEST:
        return None
    is_told = most and len(words) >= _SHORT and len(small) > 1 and max(map(len, told[found[0]])) > 1
    if most > 1 or is_told:
        return found[0] if len(found) == 1 else "other"
    is_marked = sum(not each.isascii() for each in small) > 1
    return "other" if is_marked or (len(words) >= _LONG and len(small) >= _LONG - 2) else None


def _words(text: str) -> list[str]:
    """Return the words; what is elided before an apostrophe, or comes behind one in English, is a word of its own."""
    found = []
    for word in _WORD.findall(text):
        *before, last = word.split("'")
        if before and last.lower() in _ENDINGS:
            last = f"'{last}"
        else:
            before = [f"{each}'" for each in before]
        found += [*before, last]
    return found
