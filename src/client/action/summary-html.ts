const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Returns a line as text of HTML. Markdown has no meaning within a block of HTML. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

/** Returns a line as text of HTML that links to an address, if that is one with https. */
export const linkedHtml = (text: string, url: string | null | undefined): string =>
  url?.startsWith('https://') === true ? `<a href="${escapeHtml(url)}">${escapeHtml(text)}</a>` : escapeHtml(text);
