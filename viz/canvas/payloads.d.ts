// What Python sends: the headers of payloads, as the encoders of this folder and of `viz/walk/picture.py` write them.

export type Stop = [place: number, colour: string];
export type Tick = [place: number, text: string];
export type Place = [layer: number, head: number];
export type Colour = "linear" | "root";
type Words<Name extends string> = Record<Name, string>;

/** `payload.header_of`: what all canvases of maps have. */
/** What the switch of quantities turns: what is the same in all of them, the one that is shown, and their order. */
export interface Turn {
  of: string;
  quantity: string;
  among: string[];
}

/** `payload.legend_of`: what is written below every picture of maps. */
export interface Legend {
  legend: string; // what a colour means; empty where there is no map
  ticks: Tick[];
  note: string; // what rows and columns are, then what holds for all
}

export interface MapsHeader extends Legend {
  title: string;
  alt: string;
  file: string;
  site: string;
  queries: string[];
  keys: string[];
  query_title: string;
  key_title: string;
  threshold: number;
  words: Words<"head" | "weight" | "later" | "masked" | "empty" | "token" | "span" | "save" | "many" | "keys" | "end">;
  colour: Colour;
  palette: Stop[];
  night: Stop[];
  pick_colours: string[];
  ink: string;
  paper: string;
  font: string;
  turned?: Turn | null;
  heads: Place[];
  rows: number[]; // where the cells of an axis begin, then its length
  columns: number[];
  titles?: string[];
  gaps?: boolean;
}

/** `overview.encode_overview` */
export interface OverviewHeader extends MapsHeader {
  version: number;
  in_layers: boolean;
  picked: Place[];
  most_picked: number;
  remarks: string[];
  labels: string[];
  texts: string[];
  words: MapsHeader["words"] & Words<"layer" | "gap" | "one_gap" | "column" | "largest" | "picked" | "not_picked">;
}

/** A text of a sheet: its place is where its line begins, has its `middle` or its `end`; it may be turned about it. */
export interface SheetText {
  text: string;
  x: number;
  y: number;
  size: number;
  weight: number;
  middle?: boolean;
  end?: boolean;
  turn?: number;
  opacity?: number;
}

export interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** `comparison.layout_of` */
export interface Layout {
  width: number;
  height: number;
  boxes: [left: number, top: number, width: number, height: number][];
  headings: { x: number; y: number; size: number; notes: string[]; note_size: number; line: number }[];
  texts: SheetText[];
  bar: Area;
  columns: number;
  angle: number;
  column_font: number;
}

/** `comparison.encode_comparison`, `edited.encode_edited` */
export interface ComparisonHeader extends MapsHeader {
  words: MapsHeader["words"] & Partial<Words<"menu">>;
  row_labels: string[];
  column_labels: string[];
  row_font: number;
  tick: number;
  raised: number;
  layouts: Layout[];
  page: Layout[];
  offers?: Offer[];
  crossed?: (number | true | null)[][]; // of each map the cells that are crossed out, row by row: their scores if known
}

export interface Offer {
  operation: string;
  text: string;
  needs: ("row" | "word")[];
}

/** `alignment.encode_alignment` */
export interface AlignmentHeader extends Legend {
  title: string;
  code: string;
  tokens: string[];
  leftward: boolean;
  panels: PanelHeader[];
  row_title: string;
  key_title: string;
  night: Stop[];
  window_colour: string;
  links: string;
  ask: string; // what a cell offers; empty where nobody can be asked
  put: string; // what it offers besides, for the word of its row
  words: Words<
    | "reads" | "after" | "read_by" | "item" | "comma" | "said" | "unlike" | "unread" | "one_vector" | "kept" | "sentence"
    | "brief" | "doubt" | "translation" | "keys" | "lines" | "unsure" | "letters" | "end" | "mean"
  >;
  colour: Colour;
  palette: Stop[];
}

interface AnyPanel {
  title: string;
  year: string;
  formula: string;
  code: string;
  words: { text: string; spaced: boolean; says: string }[];
  leftward: boolean;
  sure: number[];
  nothing: string;
  rows: string[];
  row_title: string; // of a map whose rows are not those of all
  notes: string[];
  mean?: boolean; // of several heads
  links: [row: number, key: number][];
}

export interface MapPanel extends AnyPanel {
  vector?: undefined;
  row_words: number[]; // for each row its written word; -1 for none
  reading: string;
  says: string;
  alt: string;
  windows: Window[];
  told: Partial<Words<"reads" | "after" | "read_by" | "unread">>; // what it says otherwise than the others
  asked?: { of: string; rows: AskedWord[]; columns: AskedWord[]; written: number[] };
}

/** A word that can be asked for; null for a mark of a beginning or an end. */
type AskedWord = [text: string, code: string] | null;

/** A decoder without attention: `rows` is empty. */
export interface VectorPanel extends AnyPanel {
  vector: string[];
  told?: undefined;
  row_words?: undefined;
  reading?: undefined;
  says?: undefined;
  asked?: undefined;
  windows?: undefined;
}

export type PanelHeader = MapPanel | VectorPanel;

interface Window {
  style: string;
  places: number[];
}

/** `points.encode_points` */
export interface PointsHeader {
  container: string;
  heads: Place[];
  titles: string[];
  says: string[];
  picked: Place[];
  most_picked: number;
  rows: number[]; // as of `MapsHeader`
  columns: number[];
  hint: string;
  colour: Colour;
  palette: Stop[];
  night: Stop[];
}

/** `aligner.encode_aligner` */
export interface AlignerHeader {
  source: string[];
  target: string[];
  links: string;
  of: string;
  languages: [source: string, target: string];
  words: Words<"grid" | "cell" | "none" | "sure" | "possible" | "count" | "undo" | "clear" | "keys">;
}

/** `viz/widgets/prediction.canvas_data` */
export interface Prediction {
  words: string[];
  code: string;
  heights: number[];
  model: number[] | null;
  gap: number | null;
  says: Words<"group" | "model" | "keys" | "beside">;
}

/** `walk.encode_walk` */
export interface WalkHeader {
  version: number;
  step: string;
  row: number;
  column: number | null;
  put: string; // what offers to put another word in the place of the row's; empty where there is no such word
  steps: { key: string; title: string }[];
  pictures: WalkPicture[];
  words: Words<"previous" | "next" | "play" | "pause" | "hidden" | "board" | "sentence" | "hint" | "letters" | "end">;
  text: { text: string; row: number; space: boolean }[];
  lead: string;
  language: string;
}

export interface WalkStep {
  key: string;
  title: string;
  says: string;
  lit: string[];
  fall: Waterfall | null;
}

export interface Waterfall {
  says: string;
  parts: [label: string, value: number][];
  total: number;
  sum: string;
}

/** `viz/walk/picture.picture_of` */
export interface WalkPicture {
  title: string;
  codes: string[][];
  note: string;
  columns: { text: string; pieces: number }[];
  state: { name: string; says: string; text?: string; piece?: string };
  steps: WalkStep[];
  at: Record<string, number>; // for each step of the walk the step of this picture
  boxes: { part: string; text: string }[];
  words: { text: string; share: number; written: boolean }[];
  ending: string;
  rows: WalkRow[];
  vector: string;
  chosen?: number;
  picks?: number[];
  context?: string;
  window?: WalkWindow | null;
}

export interface WalkRow {
  part: string;
  title: string;
  values: (number | null)[];
  crossed?: boolean[]; // which columns the mask hides: with the score that they would have
  beside?: Pick<WalkRow, "title" | "values">; // a second bar in each column
  lengths?: Pick<WalkRow, "title" | "values">; // told of a column, not drawn
}

export interface WalkWindow {
  centre: number;
  from: number;
  to: number;
  curve?: [place: number, share: number][];
}
