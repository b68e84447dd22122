import { describe, expect, it } from '@jest/globals';
import { planBootstrap, type ExistingFile, type TemplateFile } from './bootstrap.js';

const POLICY = 'sdlc.yaml';
const CI = '.github/workflows/shipgate-ci.yml';
const ENFORCE = '.github/workflows/shipgate-enforce.yml';
const GUIDE = '.github/SHIPGATE.md';

const templates: readonly TemplateFile[] = [POLICY, CI, ENFORCE, GUIDE].map((path) => ({
  path,
  content: `new ${path}`,
  blobSha: `new ${path}`,
}));
const current = (path: string): [string, ExistingFile] => [path, { blobSha: `new ${path}`, published: true }];
const older = (path: string): [string, ExistingFile] => [path, { blobSha: 'older', published: true }];
const own = (path: string): [string, ExistingFile] => [path, { blobSha: 'own', published: false }];

describe('planBootstrap', () => {
  it.each<[string, readonly [string, ExistingFile][], readonly string[], readonly string[], readonly string[]]>([
    ['no file exists: writes all files', [], [POLICY, CI, ENFORCE, GUIDE], [], []],
    ['all files are current: writes nothing', [POLICY, CI, ENFORCE, GUIDE].map(current), [], [], []],
    ["the policy is the team's own: leaves it unchanged", [own(POLICY)], [CI, ENFORCE, GUIDE], [POLICY], []],
    ["the guide is the team's own: leaves it unchanged", [own(GUIDE)], [POLICY, CI, ENFORCE], [GUIDE], []],
    ["the CI workflow is the team's own: leaves it unchanged", [own(CI)], [POLICY, ENFORCE, GUIDE], [CI], []],
    ['the CI workflow is older: updates it', [older(CI)], [POLICY, CI, ENFORCE, GUIDE], [], []],
    ['the enforcement workflow is older: updates it', [older(ENFORCE)], [POLICY, CI, ENFORCE, GUIDE], [], []],
    [
      "the enforcement workflow is the team's own: replaces it",
      [own(ENFORCE)],
      [POLICY, CI, ENFORCE, GUIDE],
      [],
      [ENFORCE],
    ],
    ['the policy was published elsewhere: leaves it unchanged', [older(POLICY)], [CI, ENFORCE, GUIDE], [POLICY], []],
  ])('plans the files when %s', (_, present, write, unchanged, replaced) => {
    const plan = planBootstrap(templates, new Map(present));
    expect(plan.write.map(({ path }) => path)).toEqual(write);
    expect(plan.unchanged).toEqual(unchanged);
    expect(plan.replaced).toEqual(replaced);
  });
});
