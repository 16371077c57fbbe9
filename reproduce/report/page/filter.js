"use strict";
(() => {
  const form = document.getElementById("filters");
  const text = document.getElementById("text");
  const status = document.getElementById("shown");
  const claims = [...document.querySelectorAll(".claim")].map((element) => ({
    element,
    paper: element.dataset.paper,
    verdict: element.dataset.verdict,
    text: element.textContent.replace(/\s+/g, " ").toLowerCase(),
  }));
  const papers = [...document.querySelectorAll(".paper")];

  const boxes = (name) => [...form.querySelectorAll(`input[name="${name}"]`)];
  const chosen = (name) => boxes(name).filter((box) => box.checked).map((box) => box.value);

  // Nothing chosen in a field means anything.
  function apply() {
    const paper = chosen("paper");
    const verdict = chosen("verdict");
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const narrow = verdict.length > 0 || words.length > 0;
    let shown = 0;
    for (const claim of claims) {
      const fits =
        (!paper.length || paper.includes(claim.paper)) &&
        (!verdict.length || verdict.includes(claim.verdict)) &&
        words.every((word) => claim.text.includes(word));
      claim.element.hidden = !fits;
      shown += fits;
    }
    for (const section of papers) {
      for (const group of section.querySelectorAll(".group")) {
        group.hidden = narrow && !group.querySelector(".claim:not([hidden])");
        const link = section.querySelector(`.contents a[href="#${CSS.escape(group.id)}"]`);
        if (link) link.parentElement.hidden = group.hidden;
      }
      const empty = narrow && !section.querySelector(".claim:not([hidden])");
      section.hidden = empty || (paper.length > 0 && !paper.includes(section.dataset.paper));
    }
    status.textContent = `${shown} of ${claims.length} claims shown`;
  }

  function remember() {
    const state = new URLSearchParams();
    for (const name of ["paper", "verdict"]) for (const value of chosen(name)) state.append(name, value);
    if (text.value.trim()) state.set("text", text.value.trim());
    history.replaceState(null, "", `#${state}`);
  }

  // An address holds either a view, as in #verdict=differs, or a place on the page.
  function restore() {
    const hash = location.hash.slice(1);
    if (hash.includes("=")) {
      const state = new URLSearchParams(hash);
      for (const name of ["paper", "verdict"]) {
        for (const box of boxes(name)) box.checked = state.getAll(name).includes(box.value);
      }
      text.value = state.get("text") || "";
      apply();
      return true;
    }
    const target = document.querySelector(":target");
    if (target && target.closest("[hidden]")) {
      form.reset();
      apply();
      target.scrollIntoView();
    }
    return false;
  }

  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => {
    apply();
    remember();
  });
  document.getElementById("all").addEventListener("click", () => {
    form.reset();
    apply();
    remember();
  });
  addEventListener("hashchange", () => {
    if (restore()) form.scrollIntoView();
  });
  if (!restore()) apply();
})();
