import { createHash } from 'node:crypto';

/** The style of the report for light, dark and print. */
export const REPORT_STYLE = `
:root {
  color-scheme: light dark;
  --ground: #ffffff; --raised: #f5f7f9; --line: #d5dbe2; --text: #18212b; --quiet: #55606d; --accent: #2f6690;
  --good: #0b6e4f; --fair: #7a5200; --bad: #ab231c;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #12171d; --raised: #1a2129; --line: #36414d; --text: #e5eaf0; --quiet: #a3aebb; --accent: #74aedb;
    --good: #62d0a6; --fair: #e3b65a; --bad: #ff9389;
  }
}
* { box-sizing: border-box; }
html { font: 100%/1.5 system-ui, -apple-system, "Segoe UI", "Helvetica Neue", sans-serif; background: var(--ground); color: var(--text); }
body { max-width: 72rem; margin: 0 auto; padding: 3rem 1.5rem 4rem; font-variant-numeric: tabular-nums; }
h1, h2, h3, h4 { line-height: 1.2; font-weight: 650; overflow-wrap: anywhere; text-wrap: balance; }
h1 { font-size: 2.125rem; letter-spacing: -.015em; margin: 0 0 .5rem; }
h2 { font-size: 1.375rem; letter-spacing: -.01em; margin: 3.5rem 0 1rem; padding-top: 1rem; border-top: 2px solid var(--text); }
h3 { font-size: 1.0625rem; margin: 0 0 .25rem; }
h4 { font-size: .8125rem; margin: 1.25rem 0 .375rem; color: var(--quiet); }
p { margin: 0 0 .75rem; max-width: 44rem; overflow-wrap: anywhere; }
a { color: var(--accent); text-underline-offset: .15em; }
a:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.maker { margin: 0 0 1.5rem; font-size: .8125rem; font-weight: 650; letter-spacing: .06em; color: var(--quiet); }
.quiet, .terms { color: var(--quiet); }
.contents { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; list-style: none; margin: 1.25rem 0 0; padding: 0; font-size: .9375rem; }
.figures { display: flex; flex-wrap: wrap; gap: 1rem 3rem; margin: 0 0 2.5rem; }
.figures div { display: flex; flex-direction: column-reverse; }
.figures dt { font-size: .875rem; color: var(--quiet); }
.figures dd { margin: 0; font-size: 1.75rem; font-weight: 650; line-height: 1.2; letter-spacing: -.01em; }
figure { margin: 0 0 2.5rem; display: grid; grid-template-columns: minmax(0, 3fr) minmax(15rem, 2fr); gap: .75rem 3rem; align-items: start; }
figcaption { grid-column: 1 / -1; font-weight: 650; }
svg { display: block; width: 100%; height: auto; }
svg text { font-family: inherit; font-size: 13px; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; }
.wide:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
table { width: 100%; border-collapse: collapse; font-size: .875rem; line-height: 1.4; }
caption { text-align: left; color: var(--quiet); padding: 0 0 .375rem; }
th, td { padding: .375rem .75rem .375rem 0; text-align: left; vertical-align: baseline; border-bottom: 1px solid var(--line); }
th:last-child, td:last-child { padding-right: 0; }
thead th { font-weight: 600; color: var(--quiet); border-bottom-color: var(--quiet); vertical-align: bottom; }
tbody th { font-weight: 500; }
.number { text-align: right; white-space: nowrap; }
thead .number { white-space: normal; }
.whole { white-space: nowrap; }
.name { min-width: 8rem; overflow-wrap: anywhere; }
.prose { min-width: 13rem; overflow-wrap: anywhere; }
code { font: .8125rem/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.good { color: var(--good); } .fair { color: var(--fair); } .bad { color: var(--bad); }
.grade { font-weight: 700; }
article { padding: 1.5rem 0; border-top: 1px solid var(--line); }
article:first-of-type { border-top: 0; padding-top: 0; }
.verdict { display: flex; flex-wrap: wrap; gap: 0 1.25rem; margin: 0 0 .5rem; max-width: none; }
article p { font-size: .9375rem; margin-bottom: .375rem; }
article .wide { margin-top: 1rem; }
footer { margin-top: 3.5rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: .875rem; color: var(--quiet); }
@media (max-width: 48rem) { figure { grid-template-columns: minmax(0, 1fr); } body { padding: 1.5rem 1rem 3rem; } }
@page { size: A4; margin: 18mm 15mm; @bottom-right { content: counter(page) " / " counter(pages); font: 8pt system-ui, sans-serif; } }
@media print {
  :root {
    color-scheme: light;
    --ground: #ffffff; --raised: #ffffff; --line: #c4cad1; --text: #000000; --quiet: #444c55; --accent: #2f6690;
    --good: #0b6e4f; --fair: #7a5200; --bad: #ab231c;
  }
  html { font-size: 8.5pt; }
  body { max-width: none; padding: 0; }
  a { color: inherit; text-decoration: none; }
  nav { display: none; }
  .wide { overflow: visible; }
  h1, h2, h3, h4, caption { break-after: avoid; }
  figure, tr, .verdict { break-inside: avoid; }
  thead { display: table-header-group; }
  #releases, #evidence { break-before: page; }
  #releases h2, #evidence h2 { margin-top: 0; }
}
`;

const digest = createHash('sha256').update(REPORT_STYLE).digest('base64');

/** The content security policy of the report: only its own style sheet, by its digest, and no script or other resource. */
export const REPORT_SECURITY_POLICY = `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'`;
