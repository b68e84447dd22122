/** The pages' style: light or dark as the reader has it, from 320 pixels of width on. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #ffffff; --raised: #f5f7fa; --line: #d9dfe7; --text: #1b2430; --quiet: #56616f; --link: #0b5cad;
  --action: #0b5cad; --on-action: #ffffff; --good: #0b6e4f; --bad: #b3261e; --bad-ground: #fdf1f0;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #11161d; --raised: #1a212b; --line: #303b49; --text: #e4e9f0; --quiet: #a0acba; --link: #7db8f5;
    --action: #7db8f5; --on-action: #0c1826; --good: #5fd0a5; --bad: #ff8a80; --bad-ground: #2b1a1c;
  }
}
* { box-sizing: border-box; }
html { scrollbar-gutter: stable; }
body {
  margin: 0 auto; padding: 0 1.25rem; max-width: 60rem; min-height: 100vh;
  display: grid; grid-template: auto 1fr auto / minmax(0, 1fr);
  background: var(--ground); color: var(--text); font: 1rem/1.55 system-ui, sans-serif;
}
header { display: flex; align-items: center; justify-content: space-between; gap: 1rem; min-height: 4.5rem; border-bottom: 1px solid var(--line); }
main { padding: 2.5rem 0 4rem; }
footer { padding: 1.25rem 0 2rem; border-top: 1px solid var(--line); font-size: .875rem; }
h1, h2, h3 { line-height: 1.25; overflow-wrap: anywhere; }
h1 { margin: 0 0 1rem; font-size: clamp(1.625rem, 5vw, 2.25rem); letter-spacing: -.01em; }
h1:focus { outline: none; }
h2 { margin: 0 0 .75rem; font-size: 1.0625rem; }
h3 { margin: 1.5rem 0 .5rem; font-size: .875rem; font-weight: 600; color: var(--quiet); }
p { margin: 0 0 1rem; max-width: 42rem; overflow-wrap: anywhere; }
a { color: var(--link); text-underline-offset: .15em; }
a:focus-visible, button:focus-visible, summary:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
code { font: .875em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; padding: .1em .35em; background: var(--raised); border-radius: .25rem; overflow-wrap: anywhere; }
ul, ol { margin: 0; padding: 0; }
ul { list-style: none; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: 1rem; padding: .5rem 1rem; background: var(--ground); border: 1px solid var(--line); }
.lead { font-size: 1.125rem; }
.quiet { color: var(--quiet); }
.small { font-size: .875rem; }
.brand { display: inline-flex; align-items: center; gap: .625rem; font-weight: 700; font-size: 1.125rem; color: var(--text); text-decoration: none; }
#account { display: flex; align-items: center; gap: .75rem; min-width: 0; }
#account .who { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-size: .875rem; }
.avatar { flex: none; width: 2rem; height: 2rem; border-radius: 50%; background: var(--raised); object-fit: cover; }
.button, button {
  display: inline-block; padding: .5625rem 1.125rem; border: 1px solid var(--action); border-radius: .5rem; cursor: pointer;
  background: var(--action); color: var(--on-action); font: inherit; font-weight: 600; line-height: 1.4; text-decoration: none;
}
.button:hover, button:hover { filter: brightness(1.08); }
.secondary, button.secondary { background: transparent; color: var(--text); border-color: var(--line); }
.secondary:hover, button.secondary:hover { border-color: var(--quiet); filter: none; }
button.compact { padding: .3125rem .75rem; font-size: .875rem; white-space: nowrap; }
button[aria-disabled] { opacity: .6; cursor: progress; }
.steps { display: grid; gap: .75rem; margin: 1.5rem 0; padding-left: 1.5rem; max-width: 42rem; }
.steps li::marker { color: var(--quiet); font-weight: 600; }
.notice, .failure { padding: .75rem 1rem; border: 1px solid var(--line); border-left: .25rem solid var(--link); border-radius: .5rem; background: var(--raised); }
.failure { border-left-color: var(--bad); background: var(--bad-ground); }
.actions { display: flex; flex-wrap: wrap; align-items: center; gap: .75rem; margin: 1.25rem 0; }
.choices { display: grid; gap: .625rem; max-width: 32rem; }
.choice { display: flex; width: 100%; align-items: center; justify-content: space-between; gap: 1rem; padding: .875rem 1rem; text-align: left; }
.choice span { min-width: 0; overflow-wrap: anywhere; }
.title { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1rem; margin-bottom: 1.5rem; }
.title h1 { margin: 0; }
.badge { display: inline-block; padding: .0625rem .5rem; border: 1px solid var(--line); border-radius: 1rem; font-size: .8125rem; font-weight: 500; color: var(--quiet); white-space: nowrap; }
.cards { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 18rem), 1fr)); margin: 1rem 0; }
.card { padding: 1.25rem; border: 1px solid var(--line); border-radius: .75rem; min-height: 10rem; }
.card.wide { grid-column: 1 / -1; }
.card p:last-child { margin-bottom: 0; }
.figure { margin: 0 0 .25rem; font-size: 1.5rem; font-weight: 700; line-height: 1.3; }
meter { display: block; width: 100%; height: .625rem; margin: .75rem 0; }
.rows > li { display: flex; align-items: center; gap: .75rem; padding: .625rem 0; border-top: 1px solid var(--line); }
.rows > li:first-child { border-top: 0; padding-top: .25rem; }
.rows .name { flex: 1; min-width: 0; overflow-wrap: anywhere; }
.rows .name .quiet { display: block; font-size: .875rem; }
details summary { cursor: pointer; font-size: .875rem; color: var(--link); }
details .choices { margin-top: .75rem; }
@media (min-width: 48rem) {
  /* As tall as what comes: nothing below it moves then. */
  .card:not(.wide) { min-height: 15rem; }
}
@media (max-width: 30rem) {
  #account .who { display: none; }
  main { padding-top: 1.75rem; }
}
@media (scripting: none) {
  /* Nothing is on its way there. */
  #view { display: none; }
}
@media print {
  #account, .skip, .actions, details { display: none; }
}
`;
