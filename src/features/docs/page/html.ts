/** Text that is markup already, and is not escaped again. */
export class Html {
  constructor(readonly text: string) {}
}

type HtmlPart = string | number | Html | readonly Html[] | null;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Markup whose inserted parts are escaped, unless they are markup themselves; null inserts nothing. */
export function html(fixed: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  return new Html(String.raw({ raw: fixed }, ...parts.map(textOf)));
}

/** Prose as it stands in docstrings: paragraphs between empty lines, and `code` between backticks. */
export const prose = (text: string): readonly Html[] =>
  text.split(/\n{2,}/).map((paragraph) => html`<p>${inline(paragraph)}</p>`);

/** One run of such prose. */
export const inline = (text: string): readonly Html[] =>
  text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));

function textOf(part: HtmlPart): string {
  if (part === null) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(({ text }) => text).join('');
  return String(part).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
