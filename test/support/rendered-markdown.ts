import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';

const CODE = /<code>([^<]*)<\/code>/g;
const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };

/** Markdown as a reader of GitHub Flavored Markdown sees it; raw HTML and links of any scheme are left in to be seen. */
const rendered = (markdown: string): string =>
  micromark(markdown, {
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
  });

/**
 * Everything of the rendered text but for the insides of inline code: its tags, its links, and the text that GitHub
 * looks through for mentions, references, emoji and formulas.
 */
export const outsideCode = (markdown: string): string => rendered(markdown).replaceAll(CODE, '<code></code>');

/** What each piece of inline code shows, in order. */
export const insideCode = (markdown: string): readonly string[] =>
  [...rendered(markdown).matchAll(CODE)].map(([, text = '']) =>
    text.replaceAll(/&(?:amp|lt|gt|quot);/g, (entity) => ENTITIES[entity] ?? entity),
  );
