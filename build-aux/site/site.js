/* site.js - the search of the site: sections that have all words, those that have them in a heading first.  index.js has the sections. */
'use strict';
{
    const root = document.currentScript.src;
    const input = document.querySelector('#search'), found = document.querySelector('#found');
    const times = (text, word) => text.split(word).length - 1;

    function score([, title, heading, text], words) {
        const parts = [title, heading, text].map(part => part.toLowerCase());
        let sum = 0;
        for (const word of words) {
            const worth = 20 * times(parts[1], word) + 10 * times(parts[0], word) + Math.min(times(parts[2], word), 8);
            if (!worth) return 0;
            sum += worth;
        }
        return sum;
    }

    /* The text around the first word, with the words marked. */
    function excerpt(text, words) {
        const p = document.createElement('p');
        const at = Math.max(0, Math.min(...words.map(word => text.toLowerCase().indexOf(word)).filter(i => i >= 0), text.length) - 60);
        let rest = text.slice(at, at + 200);
        while (rest) {
            const low = rest.toLowerCase();
            const [i, word] = words.map(w => [low.indexOf(w), w]).filter(([j]) => j >= 0).sort(([a], [b]) => a - b)[0] || [rest.length, ''];
            p.append(rest.slice(0, i));
            if (word) p.appendChild(document.createElement('mark')).textContent = rest.slice(i, i + word.length);
            rest = rest.slice(i + word.length);
        }
        return p;
    }

    input.addEventListener('input', () => {
        const words = input.value.toLowerCase().split(/\s+/).filter(word => word);
        const best = words.length ? sections.map(section => [score(section, words), section]).filter(([worth]) => worth).sort(([a], [b]) => b - a) : [];
        found.replaceChildren();
        found.hidden = !words.length;
        const count = found.appendChild(document.createElement('p'));
        count.textContent = best.length === 1 ? '1 section' : `${best.length} sections`;
        for (const [, [address, title, heading, text]] of best.slice(0, 30)) {
            const link = found.appendChild(document.createElement('h3')).appendChild(document.createElement('a'));
            link.href = new URL(address, root);
            link.textContent = title === heading ? title : `${title}: ${heading}`;
            found.appendChild(excerpt(text, words));
        }
    });
    document.addEventListener('keydown', event => {
        if (event.key === '/' && event.target !== input) { event.preventDefault(); input.focus(); }
        if (event.key === 'Escape') { input.value = ''; input.dispatchEvent(new Event('input')); }
    });
}
