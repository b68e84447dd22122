import { describe, expect, it } from '@jest/globals';
import { inline, prose } from './sections.js';

const text = (parts: ReturnType<typeof prose>): string => parts.map((part) => part.text).join('');

describe('prose', () => {
  it('makes paragraphs of what empty lines divide, and code of what stands between backticks', () => {
    expect(text(prose('One `a < b` two.\n\nThree.'))).toBe('<p>One <code>a &lt; b</code> two.</p><p>Three.</p>');
    expect(text(inline('`sdlc.yaml`'))).toBe('<code>sdlc.yaml</code>');
  });
});
