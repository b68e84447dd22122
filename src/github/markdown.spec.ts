import { describe, expect, it } from '@jest/globals';
import { assert, pre, property } from 'fast-check';
import { hostileText, UNSEEN } from '../../test/support/hostile-text.js';
import { insideCode, outsideCode } from '../../test/support/rendered-markdown.js';
import { cutMarkdown, gfm, hiddenMarker, link, lines, tableRow, type Markdown } from './markdown.js';

const PLACES: readonly (readonly [string, (text: string) => Markdown])[] = [
  ['a heading', (text) => gfm`# Evidence for ${text}`],
  ['a paragraph', (text) => gfm`Release ${text} of ${text}, and ${text}.`],
  ['bold text', (text) => gfm`**${text}** would stay.`],
  ['a list', (text) => lines([gfm`- ${text}`, gfm`  - It would lack: ${text}`, gfm`- [x] ${text}`])],
  ['a quotation', (text) => gfm`> ${text}`],
  ['the beginning of a line', (text) => gfm`${text}`],
  [
    'a table',
    (text) =>
      lines([
        tableRow([gfm`a`, gfm`b`]),
        gfm`| --- | --- |`,
        tableRow([gfm`${text}`, gfm`${text} / ${text}`]),
        tableRow([gfm`${text}`, gfm`end`]),
      ]),
  ],
  ['the name of a link', (text) => gfm`See ${link(gfm`${text}`, 'https://github.example/acme')}.`],
];

describe('external text in Markdown', () => {
  it.each(PLACES)('is shown as code and is not interpreted in %s', (_, write) => {
    const structure = outsideCode(write('x').text);
    const items = insideCode(write('x').text).length;
    assert(
      property(hostileText(), (text) => {
        pre(renderedAs(text) !== '');
        const { text: written } = write(text);
        expect(outsideCode(written)).toBe(structure);
        expect(insideCode(written)).toHaveLength(items);
        for (const content of insideCode(written)) expect(content).not.toMatch(UNSEEN);
      }),
      { numRuns: 120 },
    );
  });

  it.each([
    ['build and test (2/4)', 'build and test (2/4)'],
    ['a|b', 'a|b'],
    ['a\\', 'a\\'],
    ['**bold** @acme/team #12 :tada: $x$', '**bold** @acme/team #12 :tada: $x$'],
    ['` `` ```', '` `` ```'],
    ['$x$', '$x$'],
    ['</code><img src=x>', '</code><img src=x>'],
    ['&lt;&#64;', '&lt;&#64;'],
    ['two\r\n\tlines', 'two lines'],
    [' around ', 'around'],
    ['a\u202Eb\u200Bc\u0007d\uD800e', 'a�b�c�d�e'],
    ['✔️ done', '✔ done'],
    ['x'.repeat(400), `${'x'.repeat(250)}…`],
    ['😀'.repeat(400), `${'😀'.repeat(250)}…`],
  ])('shows %j as %j, in a paragraph and in a table', (text, content) => {
    expect(insideCode(gfm`It is ${text}.`.text)).toEqual([content]);
    const table = lines([tableRow([gfm`a`]), gfm`| --- |`, tableRow([gfm`${text}`])]);
    expect(insideCode(table.text)).toEqual([content]);
  });

  it('never writes a dollar sign next to a backtick, which GitHub reads as a formula', () => {
    assert(
      property(hostileText(), (text) => {
        const alone = renderedAs(text).replaceAll('`', '');
        expect(gfm`x ${alone} y`.text).not.toMatch(/\$`|`\$/);
      }),
    );
  });

  it('separates the cells of a row if a backslash is before a bar', () => {
    for (const text of ['\\|', '\\\\|', '\\\\\\|', '|', '||', 'a\\|b|c']) {
      const table = lines([tableRow([gfm`a`, gfm`b`]), gfm`| --- | --- |`, tableRow([gfm`${text}`, gfm`end`])]);
      expect(outsideCode(table.text)).toContain('<td><code></code></td>\n<td>end</td>');
    }
  });

  it('returns an empty text for an empty value', () => {
    expect(gfm`a${''}b${' \n'}c${null}d`.text).toBe('abcd');
  });

  it('returns numbers and Markdown unchanged, and joins lines', () => {
    const { text } = gfm`${3} of ${gfm`**four**`}${null}\n${[gfm`- a`, gfm`- b`]}`;
    expect(text).toBe('3 of **four**\n- a\n- b');
  });
});

describe('a link of the service', () => {
  it('leads only to its address, with any characters', () => {
    const { text } = link(gfm`run`, 'https://github.example/a b/c)![](https://evil.example/x.png)<>`|"*_\\');
    expect(outsideCode(text)).toMatch(/^<p><a href="https:\/\/github\.example\/[^"<>]*">run<\/a><\/p>$/);
    expect(text).not.toMatch(/[|<>`\\]|\)./);
  });

  it.each(['javascript:alert(1)', 'data:text/html,x', 'ftp://github.example'])('is only its name for %s', (address) => {
    expect(link(gfm`run`, address).text).toBe('run');
  });
});

describe('hiddenMarker', () => {
  it('is invisible, and is the same for the same name', () => {
    expect(hiddenMarker('shipgate:tampering:.github/workflows/shipgate-ci.yml').text).toBe(
      '<!-- shipgate:tampering:.github/workflows/shipgate-ci.yml -->',
    );
  });

  it('ends at its limit', () => {
    assert(
      property(hostileText(), (text) => {
        expect(hiddenMarker(text).text).toMatch(/^<!-- (?:(?!--)[\w./:%-])* -->$/);
      }),
    );
  });
});

describe('cutMarkdown', () => {
  const long = lines([gfm`# Title`, ...Array.from({ length: 50 }, (_, at) => gfm`- ${`item ${at}`}`)]);

  it('returns text within the limit unchanged', () => {
    expect(cutMarkdown(long, long.text.length, gfm`More.`)).toBe(long);
  });

  it('returns complete lines and a link to the rest, within the limit in bytes', () => {
    const wide = lines([gfm`# Title`, ...Array.from({ length: 50 }, (_, at) => gfm`- ${`構築 ${at}`}`)]);
    for (const whole of [long, wide]) {
      for (let room = 20; room < Buffer.byteLength(whole.text); room += 7) {
        const { text } = cutMarkdown(whole, room, gfm`More.`);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(room);
        const stored = text.slice(0, -'\n\nMore.'.length);
        expect(text).toBe(`${stored}\n\nMore.`);
        expect(whole.text.startsWith(`${stored}\n`)).toBe(true);
      }
    }
  });
});

/** Returns the part of the text that GitHub shows. */
const renderedAs = (text: string): string => insideCode(gfm`x ${text} y`.text)[0] ?? '';
