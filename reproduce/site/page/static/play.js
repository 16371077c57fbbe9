"use strict";
(() => {
  // A figure with controls has a picture for each state. They are loaded once a reader reaches for a control.
  function play(form) {
    const image = form.closest(".cell").querySelector("img");
    const sliders = [...form.querySelectorAll("input")];
    const address = state => `${form.dataset.pictures}/${state.join("-")}.webp`;
    const load = () => {
      let states = [[]];
      for (const slider of sliders)
        states = states.flatMap(s => Array.from({length: Number(slider.max) + 1}, (_, i) => [...s, i]));
      for (const state of states) new Image().src = address(state);
    };
    const show = () => {
      const values = sliders.map(slider => JSON.parse(slider.dataset.labels)[slider.value]);
      sliders.forEach((slider, i) => {
        slider.setAttribute("aria-valuetext", values[i]);
        slider.nextElementSibling.value = values[i];
      });
      image.src = image.closest("a").href = address(sliders.map(slider => slider.value));
      image.alt = sliders.map((s, i) => `${s.previousElementSibling.textContent}: ${values[i]}`).join("; ");
    };
    for (const reached of ["pointerenter", "focusin"]) form.addEventListener(reached, load, {once: true});
    form.addEventListener("input", show);
    form.hidden = false;
  }

  // After `site.js`, which has made the picture a link.
  document.addEventListener("DOMContentLoaded", () => document.querySelectorAll("fieldset.play").forEach(play));
})();
