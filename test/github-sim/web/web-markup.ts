import type { Account } from '../state/account.js';

const STYLE = `
:root { color-scheme: light dark; --ground: #f6f8fa; --card: #fff; --line: #d0d7de; --text: #1f2328; --quiet: #59636e; --link: #0969da; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #0d1117; --card: #161b22; --line: #30363d; --text: #e6edf3; --quiet: #9198a1; --link: #4493f8; }
}
* { box-sizing: border-box; }
body { margin: 0; padding: 3rem 1rem; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 28rem; margin: 0 auto; padding: 1.75rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
h1 { margin: 0 0 .5rem; font-size: 1.375rem; }
p { margin: 0 0 1.25rem; color: var(--quiet); }
form { display: grid; gap: .5rem; }
form + form { margin-top: 1.25rem; }
button { display: flex; align-items: center; gap: .75rem; width: 100%; padding: .625rem .875rem; border: 1px solid var(--line); border-radius: .5rem; background: transparent; color: inherit; font: inherit; text-align: left; cursor: pointer; }
button:hover { border-color: var(--quiet); }
button:focus-visible { outline: 3px solid #0969da; outline-offset: 2px; }
img { width: 2rem; height: 2rem; border-radius: 50%; }
ul { margin: 0; padding: 0; list-style: none; }
li + li { margin-top: .5rem; }
a { color: var(--link); }
small { display: block; color: var(--quiet); }
`;

/** An account to choose, with a description. */
export interface Choice {
  readonly account: Account;
  readonly about: string;
}

/** A page of the simulated GitHub. */
export function page(title: string, text: string, form = ''): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)} · Simulated GitHub</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
<main><small>Simulated GitHub</small><h1>${escape(title)}</h1><p>${escape(text)}</p>${form}</main>
</html>
`;
}

/** A list of links. */
export function links(targets: readonly { readonly href: string; readonly text: string }[]): string {
  const items = targets.map(({ href, text }) => `<li><a href="${escape(href)}">${escape(text)}</a></li>`);
  return `<ul>${items.join('')}</ul>`;
}

/** A form that sends the same query again, with the chosen account under this name. */
export function choices(query: URLSearchParams, name: string, offered: readonly Choice[]): string {
  const inputs = [...query].map(
    ([key, value]) => `<input type="hidden" name="${escape(key)}" value="${escape(value)}">`,
  );
  const buttons = offered.map(
    ({ account: { id, login }, about }) =>
      `<button name="${name}" value="${escape(login)}"><img src="/avatars/${id}" alt="" width="32" height="32">` +
      `<span>${escape(login)}<small>${escape(about)}</small></span></button>`,
  );
  return `<form>${inputs.join('')}${buttons.join('')}</form>`;
}

/** The picture of an account: its first letter, on its own color. */
export function picture({ id, login }: Account): string {
  const hue = (id * 137) % 360;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" fill="hsl(${hue} 45% 42%)"/>
<text x="16" y="22" text-anchor="middle" font-family="system-ui, sans-serif" font-size="16" fill="#fff">${escape(login.charAt(0).toUpperCase())}</text></svg>
`;
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
