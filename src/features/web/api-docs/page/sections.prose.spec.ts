import { describe, expect, it } from '@jest/globals';
import { inline, renderText } from './sections.js';

const text = (parts: ReturnType<typeof renderText>): string => parts.map((part) => part.text).join('');

describe('prose', () => {
  it('turns empty lines into paragraphs and backticks into code', () => {
    expect(text(renderText('One `a < b` two.\n\nThree.'))).toBe('<p>One <code>a &lt; b</code> two.</p><p>Three.</p>');
    expect(text(inline('`sdlc.yaml`'))).toBe('<code>sdlc.yaml</code>');
  });
});
