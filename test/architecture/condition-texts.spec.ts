import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { CONDITION_CODES, getTraits } from '../../src/domain/facts/condition-catalogue.js';
import { WAIVABLE_CODES } from '../../src/domain/override/applied-overrides.js';

const OVERRIDES = { waiver: 'waiver, break-glass', break_glass: 'break-glass', none: 'none' } as const;

/** Returns the cells of each row of the table below a heading of a guide, without those of its head. */
function tableBelow(heading: string, file: string): readonly (readonly string[])[] {
  const [, section = ''] = readFileSync(file, 'utf8').split(`\n## ${heading}\n`);
  const rows = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

it('the guide for admins lists each condition with the title, the next step and the override of the catalogue', () => {
  expect(tableBelow('Gate reasons', 'docs/guides/admin.md')).toEqual(
    CONDITION_CODES.map((code) => {
      const { title, next, override } = getTraits(code);
      return [`\`${code}\``, title, next, OVERRIDES[override.by]];
    }),
  );
});

it('the guide for overrides lists the conditions that can be waived', () => {
  const [, list = ''] =
    /^- These codes may be waived: (.*?)\.\s*$/ms.exec(readFileSync('docs/guides/overrides.md', 'utf8')) ?? [];
  expect([...list.matchAll(/`(\w+)`/g)].map(([, code = '']) => code).toSorted()).toEqual(WAIVABLE_CODES.toSorted());
});
