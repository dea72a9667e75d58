// How large the formulas of the panels are written. Stands behind alignment_panels.js.

const FORMULA = { usual: 16, beside: 11.5, least: 8.5 }; // pixels of a formula's letters

// A formula stands beside its name where it can be read there, else all stand below the names.
function fitFormulas(view) {
  const { place, header, family } = view, names = header.panels.map(({ title, year }) => widthOf(`${title} ${year}`, 16, family, 600));
  const natural = view.panels.map(({ formula }, number) => {
    const key = header.panels[number].formula;
    if (!view.formulas.has(key)) {
      formula.style.fontSize = `${FORMULA.usual}px`;
      const { width } = formula.getBoundingClientRect();
      if (!width) return 1;
      view.formulas.set(key, width + 2);
    }
    return view.formulas.get(key);
  });
  const size = (room, number) => Math.min(FORMULA.usual, (room / natural[number]) * FORMULA.usual);
  const beside = names.map((name, number) => size(place.panel - name - 16, number));
  const below = Math.min(...beside) < FORMULA.beside;
  view.bands.classList.toggle("tall", below);
  view.panels.forEach(({ formula }, number) => {
    const pixels = below ? Math.max(size(place.panel, number), FORMULA.least) : beside[number];
    formula.style.fontSize = `${pixels}px`;
  });
}
