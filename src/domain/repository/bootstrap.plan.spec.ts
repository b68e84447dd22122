import { describe, expect, it } from '@jest/globals';
import { planBootstrap, type ExistingFile, type TemplateFile } from './bootstrap.js';

const POLICY = 'sdlc.yaml';
const CI = '.github/workflows/shipgate-ci.yml';
const ENFORCE = '.github/workflows/shipgate-enforce.yml';
const GUIDE = '.github/SHIPGATE.md';

const wanted: readonly TemplateFile[] = [POLICY, CI, ENFORCE, GUIDE].map((path) => ({
  path,
  content: `new ${path}`,
  blobSha: `new ${path}`,
}));
const current = (path: string): [string, ExistingFile] => [path, { blobSha: `new ${path}`, published: true }];
const older = (path: string): [string, ExistingFile] => [path, { blobSha: 'older', published: true }];
const own = (path: string): [string, ExistingFile] => [path, { blobSha: 'own', published: false }];

describe('what a bootstrap writes', () => {
  it.each<[string, readonly [string, ExistingFile][], readonly string[], readonly string[], readonly string[]]>([
    ['nothing lies there: all', [], [POLICY, CI, ENFORCE, GUIDE], [], []],
    ['all lies there: nothing', [POLICY, CI, ENFORCE, GUIDE].map(current), [], [], []],
    ['own rules: they stay', [own(POLICY)], [CI, ENFORCE, GUIDE], [POLICY], []],
    ['an own guide: it stays', [own(GUIDE)], [POLICY, CI, ENFORCE], [GUIDE], []],
    ['an own CI workflow: it stays', [own(CI)], [POLICY, ENFORCE, GUIDE], [CI], []],
    ['an older CI workflow: it is renewed', [older(CI)], [POLICY, CI, ENFORCE, GUIDE], [], []],
    ['an older enforcement: it is renewed', [older(ENFORCE)], [POLICY, CI, ENFORCE, GUIDE], [], []],
    ["somebody's enforcement: it gives way", [own(ENFORCE)], [POLICY, CI, ENFORCE, GUIDE], [], [ENFORCE]],
    ['rules that were published elsewhere: they stay', [older(POLICY)], [CI, ENFORCE, GUIDE], [POLICY], []],
  ])('where %s', (_, present, write, kept, replaced) => {
    const plan = planBootstrap(wanted, new Map(present));
    expect(plan.write.map(({ path }) => path)).toEqual(write);
    expect(plan.kept).toEqual(kept);
    expect(plan.replaced).toEqual(replaced);
  });
});
