"use strict";
(() => {
  // A picture is a link to itself, which the browser shows as large as one likes.
  function link(image) {
    let around = image.closest("a");
    if (around && !around.matches(".image-reference")) return;
    if (!around) {
      around = document.createElement("a");
      image.replaceWith(around);
      around.append(image);
    }
    around.classList.add("zoom", ...image.classList);
    around.href = image.src;
    if (image.closest(".sd-card")) return;
    if (image.complete) fit(image);
    else image.addEventListener("load", () => { fit(image); reach(); }, {once: true});
  }
  // As wide as in a notebook, 110 dots to the inch, or as the column is; a picture is a link to itself, to be enlarged.
  // Drawings stand two side by side, and are as wide as they were made.
  function fit(image) {
    const scale = image.closest(".drawing") ? 1 : 110 / 96;
    image.style.width = `${Number(image.getAttribute("width")) || image.naturalWidth * scale}px`;
  }

  // What scrolls sideways shows it, and is reached by the keyboard.
  const WIDE = ".pst-scrollable-table-container, .output.text_html, .highlight pre, .output pre, div.math, mjx-container[display]";
  function reach() {
    for (const box of document.querySelectorAll(WIDE)) {
      const cut = box.scrollWidth > box.clientWidth;
      box.classList.toggle("cut", cut);
      if (cut) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  }

  // Claims are shown by their verdicts. What an address names is shown whatever its verdict is; a line of a list
  // leads on to its card.
  function filter(boxes, status) {
    const wanted = new Set(boxes.filter(box => box.checked).map(box => box.value));
    const claims = [...document.querySelectorAll(".claim")];
    for (const claim of claims) claim.hidden = ![...claim.classList].some(name => wanted.has(name));
    for (const group of document.querySelectorAll("section[id^='shown-']")) {
      const own = [...group.querySelectorAll(".claim")];
      group.hidden = own.length > 0 && own.every(claim => claim.hidden);
    }
    status.textContent = `${claims.filter(claim => !claim.hidden).length} of ${claims.length} claims`;
  }
  function filters() {
    const form = document.querySelector("fieldset.filter");
    if (!form) return;
    const boxes = [...form.querySelectorAll("input")], status = form.querySelector(".shown");
    const update = () => filter(boxes, status);
    const reveal = () => {
      const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
      if (target && target.matches("li.claim")) location.replace(target.querySelector("a").href);
      if (!target || !target.closest("[hidden]")) return;
      for (const box of boxes) box.checked ||= target.classList.contains(box.value) || !target.matches(".claim");
      update();
      target.scrollIntoView();
    };
    form.hidden = false;
    form.addEventListener("change", update);
    addEventListener("hashchange", reveal);
    update();
    reveal();
  }

  document.addEventListener("DOMContentLoaded", () => {
    filters();
    document.querySelectorAll(".bd-article img").forEach(link);
    reach();
    addEventListener("resize", reach);
    addEventListener("load", reach);
    document.addEventListener("toggle", reach, true);
    if (window.MathJax && MathJax.startup) MathJax.startup.promise.then(reach);
  });
})();
