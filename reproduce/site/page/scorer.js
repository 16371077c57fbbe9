// What a search of the site shows first: Sphinx's own numbers, and before all a name that begins as it was asked for.
var Scorer = {
  objNameMatch: 11, objPartialMatch: 6, objPrio: {0: 15, 1: 5, 2: -5}, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
  score: ([page, title, anchor, description, score, file, kind]) => {
    const words = (new URLSearchParams(location.search).get("q") || "").toLowerCase().split(/\s+/).filter(Boolean);
    const name = title.toLowerCase(), all = `${name} ${page} ${description}`.toLowerCase();
    const isNamed = kind === "object" && words.length && words.every(word => all.includes(word));
    return score + (isNamed && (name.startsWith(words[0]) || name.includes(`(${words[0]})`)) ? 100 : 0);
  },
};
