import { describe, expect, it } from '@jest/globals';
import { html } from './html.js';

describe('html', () => {
  it('escapes every inserted value, in text and in attributes', () => {
    expect(html`<a title="${`"'<b>&`}">${'</a><script>'}</a>`.text).toBe(
      '<a title="&quot;&#39;&lt;b&gt;&amp;">&lt;/a&gt;&lt;script&gt;</a>',
    );
  });

  it('inserts other Html unchanged, one or several, and nothing for null', () => {
    const signs = ['<', '>'].map((sign) => html`<b>${sign}</b>`);
    expect(html`<i>${signs}${html`<q></q>`}${null}${0}</i>`.text).toBe('<i><b>&lt;</b><b>&gt;</b><q></q>0</i>');
  });

  it('retains backslashes and dollar signs', () => {
    expect(html`<code>${'^[\\w.-]{8,64}$ $& $1'}</code>`.text).toBe('<code>^[\\w.-]{8,64}$ $&amp; $1</code>');
  });

  it('replaces characters that HTML does not allow', () => {
    expect(html`${'a\0\x1b[31m\r\ufffe\ud800b\t\n'}`.text).toBe('a\ufffd\ufffd[31m\ufffd\ufffd\ufffdb\t\n');
  });
});
