import { describe, expect, it } from '@jest/globals';
import { html } from './html.js';

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

  it('replaces what HTML allows in no text', () => {
    expect(html`${'a\0\x1b[31m\r\ufffe\ud800b\t\n'}`.text).toBe('a\ufffd\ufffd[31m\ufffd\ufffd\ufffdb\t\n');
  });
});
