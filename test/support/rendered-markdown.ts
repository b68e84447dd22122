import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';

const CODE = /<code>([^<]*)<\/code>/g;
const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };

/** Markdown as GitHub renders it. Raw HTML and links of any scheme remain, so that a test can find them. */
const rendered = (markdown: string): string =>
  micromark(markdown, {
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
  });

/**
 * Everything of the rendered text except the content of inline code: its tags, its links, and the text in which GitHub
 * searches for mentions, references, emoji and formulas.
 */
export const outsideCode = (markdown: string): string => rendered(markdown).replaceAll(CODE, '<code></code>');

/** The content of each inline code, in order. */
export const insideCode = (markdown: string): readonly string[] =>
  [...rendered(markdown).matchAll(CODE)].map(([, text = '']) =>
    text.replaceAll(/&(?:amp|lt|gt|quot);/g, (entity) => ENTITIES[entity] ?? entity),
  );
