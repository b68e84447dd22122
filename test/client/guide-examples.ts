import { readFileSync } from 'node:fs';

/** Returns the blocks of code below a heading of the third level of the guide for CI engineers. */
export function examplesOf(title: string): readonly string[] {
  const guide = readFileSync('docs/guides/ci.md', 'utf8');
  const [, section = ''] = new RegExp(`^### ${title}\n(.*?)^##`, 'ms').exec(guide) ?? [];
  return [...section.matchAll(/^```\w+\n(.*?)^```$/gms)].map(([, block = '']) => block);
}
