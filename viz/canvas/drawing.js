// Shows drawings that Python wrote as SVG, every text in them escaped: st.html would take the SVG out.

/** @param {Mount<string>} mount */
export default function show({ parentElement, data }) {
  const place = /** @type {HTMLElement} */ (parentElement.querySelector(".drawings"));
  if (place.innerHTML !== data) place.innerHTML = data;
}
