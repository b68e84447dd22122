import { createHash } from 'node:crypto';
import { Html } from '../../../../http/html.js';

/** The style of the page, for light, dark and print. The print has no table of contents. */
const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #ffffff; --raised: #f5f7fa; --line: #d9dfe7; --text: #1b2430; --quiet: #56616f; --link: #0b5cad;
  --get: #0b6e4f; --post: #0b5cad; --other: #8a4b08; --bad: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #11161d; --raised: #1a212b; --line: #303b49; --text: #e4e9f0; --quiet: #a0acba; --link: #7db8f5;
    --get: #5fd0a5; --post: #7db8f5; --other: #f0b46a; --bad: #ff8a80;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0 auto; padding: 2rem 1.5rem 6rem; max-width: 84rem;
  background: var(--ground); color: var(--text); font: 1rem/1.55 system-ui, sans-serif;
  display: grid; grid-template-columns: minmax(0, 1fr); gap: 0 3rem;
}
header { max-width: 46rem; }
h1 { margin: 0 0 1rem; font-size: 2rem; line-height: 1.2; }
h2 { margin: 3rem 0 .5rem; font-size: 1.5rem; }
h3 { margin: 0 0 .5rem; font-size: 1.125rem; overflow-wrap: anywhere; }
h4 { margin: 1.5rem 0 .5rem; font-size: .875rem; color: var(--quiet); }
p { margin: 0 0 .75rem; max-width: 46rem; }
a { color: var(--link); text-underline-offset: .15em; }
a:focus-visible, pre:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .875em; }
pre { margin: 0; padding: 1rem; overflow-x: auto; background: var(--raised); border: 1px solid var(--line); border-radius: .5rem; }
pre code { font-size: .8125rem; }
.version { color: var(--quiet); font-weight: 400; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: 1rem; padding: .5rem 1rem; background: var(--ground); border: 1px solid var(--line); }
nav { margin: 1.5rem 0; font-size: .875rem; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav > ul > li { margin-bottom: .75rem; font-weight: 600; }
nav ul ul { margin-top: .25rem; font-weight: 400; }
nav ul ul li { margin: .125rem 0; overflow-wrap: anywhere; }
nav a { text-decoration: none; }
nav a:hover { text-decoration: underline; }
article { margin: 1.25rem 0 2rem; padding: 1.5rem; border: 1px solid var(--line); border-radius: .75rem; }
article:target { border-color: var(--link); }
.summary { font-size: 1.0625rem; }
.method { font: 700 .75rem/1 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; color: var(--other); }
h3 .method { font-size: .875rem; margin-right: .25rem; }
.method.get { color: var(--get); }
.method.post { color: var(--post); }
.path { font-size: 1rem; }
dl { margin: 1rem 0; }
dl > div { display: grid; grid-template-columns: 11rem minmax(0, 1fr); gap: .25rem 1rem; padding: .5rem 0; border-top: 1px solid var(--line); }
dt { color: var(--quiet); overflow-wrap: anywhere; }
dd { margin: 0; }
dd p:last-child, td p:last-child { margin-bottom: 0; }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: .9375rem; }
th, td { padding: .5rem .75rem .5rem 0; text-align: left; vertical-align: top; border-top: 1px solid var(--line); }
thead th { border-top: 0; color: var(--quiet); font-weight: 500; font-size: .8125rem; }
tbody th { font-weight: 400; width: 14rem; }
td:nth-child(2) { min-width: 9rem; }
td:last-child { overflow-wrap: anywhere; }
td p { margin-bottom: .25rem; }
td > a { white-space: nowrap; }
.required { color: var(--bad); font-size: .75rem; white-space: nowrap; }
.bounds { color: var(--quiet); font-size: .875rem; }
.status { font-weight: 700; }
.s2 { color: var(--get); }
.s4, .s5 { color: var(--bad); }
@media (min-width: 64rem) {
  body { grid-template-columns: 17rem minmax(0, 1fr); }
  header, main { grid-column: 2; }
  nav { grid-column: 1; grid-row: 1 / span 2; position: sticky; top: 1.5rem; align-self: start; max-height: calc(100vh - 3rem); overflow-y: auto; margin: 0; padding-right: .5rem; }
}
@media (max-width: 40rem) {
  dl > div { grid-template-columns: minmax(0, 1fr); }
  article { padding: 1rem; }
}
@media print {
  :root { --ground: #fff; --raised: #fff; --text: #000; --quiet: #333; --link: #000; --line: #999; }
  body { display: block; padding: 0; max-width: none; font-size: 10pt; }
  nav, .skip { display: none; }
  article { padding: 0; border: 0; }
  h2, h3, h4 { break-after: avoid; }
  tr, pre { break-inside: avoid; }
  pre { white-space: pre-wrap; }
}
`;

/** The page's style as an element. */
export const PAGE_STYLE = new Html(`<style>${STYLE}</style>`);

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** The content security policy of the page: only its own style, and no other resource. */
export const PAGE_SECURITY_POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
