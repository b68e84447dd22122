import { describe, expect, it } from '@jest/globals';
import { html, inline, prose } from './html.js';

const text = (parts: ReturnType<typeof prose>): string => parts.map((part) => part.text).join('');

describe('markup', () => {
  it('escapes whatever is inserted, in text and in attributes', () => {
    expect(html`<a title="${`"'<b>&`}">${'</a><script>'}</a>`.text).toBe(
      '<a title="&quot;&#39;&lt;b&gt;&amp;">&lt;/a&gt;&lt;script&gt;</a>',
    );
  });

  it('takes in other markup as it is, one piece or several, and nothing for null', () => {
    const signs = ['<', '>'].map((sign) => html`<b>${sign}</b>`);
    expect(html`<i>${signs}${html`<q></q>`}${null}${0}</i>`.text).toBe('<i><b>&lt;</b><b>&gt;</b><q></q>0</i>');
  });

  it('keeps backslashes and dollars as they were written', () => {
    expect(html`<code>${'^[\\w.-]{8,64}$ $& $1'}</code>`.text).toBe('<code>^[\\w.-]{8,64}$ $&amp; $1</code>');
  });
});

describe('prose', () => {
  it('makes paragraphs of what empty lines divide, and code of what stands between backticks', () => {
    expect(text(prose('One `a < b` two.\n\nThree.'))).toBe('<p>One <code>a &lt; b</code> two.</p><p>Three.</p>');
    expect(text(inline('`sdlc.yaml`'))).toBe('<code>sdlc.yaml</code>');
  });
});
