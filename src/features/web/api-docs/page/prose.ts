import { type Markup, markup } from '../../../../http/html.js';

/** Prose as it stands in docstrings: paragraphs between empty lines, and `code` between backticks. */
export const prose = (text: string): readonly Markup[] =>
  text.split(/\n{2,}/).map((paragraph) => markup`<p>${inline(paragraph)}</p>`);

/** One run of such prose. */
export const inline = (text: string): readonly Markup[] =>
  text.split('`').map((part, at) => (at % 2 === 1 ? markup`<code>${part}</code>` : markup`${part}`));
