// Shows drawings that Python wrote as SVG, every text in them escaped: st.html would take the SVG out.

export default function show({ parentElement, data }) {
  const place = parentElement.querySelector(".drawings");
  if (place.innerHTML !== data) place.innerHTML = data;
}
