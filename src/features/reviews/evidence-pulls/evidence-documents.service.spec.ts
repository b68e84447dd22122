import { describe, expect, it } from '@jest/globals';
import { assert, property } from 'fast-check';
import { CANDIDATE, coverageItem, scanItem } from '../../../../test/support/given-facts.js';
import { givenSigner } from '../../../../test/support/given-pack.js';
import { hostileText } from '../../../../test/support/hostile-text.js';
import { insideCode, outsideCode } from '../../../../test/support/rendered-markdown.js';
import { canonicalJson, type JsonObject } from '../../../domain/audit/canonical-json.js';
import type { EvidenceGroup } from '../../../domain/evidence/effective-evidence-set.js';
import type { EvidenceItem } from '../../../domain/evidence/evidence.js';
import { DEFAULT_POLICY } from '../../../domain/policy/policy.js';
import { isSignedBy } from '../../../crypto/public-key.js';
import { type EvidenceContent, evidenceJson, evidencePage, pullBody } from './evidence-documents.service.js';

const signer = givenSigner();
const ITEMS = [
  coverageItem(1e-7, { pipeline: 'prüfen "alles" \u2028 🚀' }),
  coverageItem(1e21),
  coverageItem(87.5),
  coverageItem(null),
];
const CONTENT: EvidenceContent = {
  repository: 'acme/payments',
  repositoryUrl: 'https://github.test/acme/payments',
  version: 'v1.0.0',
  candidateSha: CANDIDATE,
  policyDigest: 'a'.repeat(64),
  setDigest: 'b'.repeat(64),
  set: [{ pipeline: 'build', kind: 'coverage', environment: 'ci', items: ITEMS, flaky: true, provenRun: null }],
  artifacts: [],
  testsPassing: true,
  waivers: [],
  qualityGates: DEFAULT_POLICY.qualityGates,
  predecessorLinePercent: null,
  revision: 0,
  requiredReviewers: [{ minApprovals: 1, teams: [], excludeReleaseAuthors: false }],
  runUrls: new Map(),
  files: new Map(),
};

interface Signed extends JsonObject {
  readonly signature: { readonly algorithm: string; readonly keyId: string; readonly value: string };
}

describe('evidence.json', () => {
  it('is the same text for the same content and the same key', () => {
    expect(evidenceJson(CONTENT, signer)).toBe(evidenceJson({ ...CONTENT }, signer));
    expect(evidenceJson(CONTENT, givenSigner())).not.toBe(evidenceJson(CONTENT, signer));
  });

  it('is signed over the canonical JSON of its parsed members, with any numbers and texts', () => {
    const { signature, ...document } = JSON.parse(evidenceJson(CONTENT, signer)) as Signed;
    expect(signature).toMatchObject({ algorithm: 'Ed25519', keyId: signer.keyId });
    expect(isSignedBy(signer.x, Buffer.from(canonicalJson(document)), signature.value)).toBe(true);
    expect(isSignedBy(signer.x, Buffer.from(canonicalJson({ ...document, revision: 1 })), signature.value)).toBe(false);
  });
});

describe('the artifacts', () => {
  const artifacts = [{ name: 'api|x', digest: `sha256:${'d'.repeat(64)}` }];

  it('are in both files', () => {
    expect(JSON.parse(evidenceJson({ ...CONTENT, artifacts }, signer))).toMatchObject({ artifacts });
    expect(evidencePage({ ...CONTENT, artifacts }).text).toContain(`| \`sha256:${'d'.repeat(64)}\` |`);
  });

  it('have no trace in the files of a release without them', () => {
    expect(evidenceJson(CONTENT, signer)).not.toContain('artifact');
    expect(evidencePage(CONTENT).text).not.toContain('artifact');
  });
});

describe('the body of the pull request', () => {
  const written = (count: number): string => {
    const items = Array.from({ length: count }, (_, at) => coverageItem(at % 100, { id: `p${at}`, job: `構築 ${at}` }));
    const set = [
      { pipeline: 'build', kind: 'coverage' as const, environment: 'ci', items, flaky: false, provenRun: null },
    ];
    return pullBody({ ...CONTENT, set }, CANDIDATE).text;
  };

  it('contains the whole page if GitHub accepts its length', () => {
    expect(written(100)).toContain(evidencePage({ ...CONTENT, set: [] }).text.slice(-200));
    expect(written(100)).not.toContain('only the beginning');
  });

  it('is cut if it is longer than GitHub accepts, and links to the whole page', () => {
    for (const count of [500, 800, 3_000]) {
      const text = written(count);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(65_536);
      const address = `https://github.test/acme/payments/blob/${CANDIDATE}/.releases/v1.0.0/EVIDENCE.md`;
      if (count > 800) expect(text).toContain(`Read [all of it](${address}) before you approve.`);
      expect(text).toMatch(/approving review is needed/);
    }
  });
});

describe('EVIDENCE.md', () => {
  const LIMITS = {
    coverage: { minLinePercent: 80, maxDrop: 1 },
    sastScan: { maxCritical: 0, maxHigh: 3, maxMedium: null, maxLow: null },
    security: { maxCritical: 0, maxHigh: null, maxMedium: null, maxLow: null },
  };
  const slotOf = (kind: 'coverage' | 'sast_scan' | 'security', ...items: readonly EvidenceItem[]): EvidenceGroup => ({
    pipeline: 'build',
    kind,
    environment: 'ci',
    items,
    flaky: false,
    provenRun: null,
  });
  const SET = [
    slotOf('coverage', coverageItem(87.5)),
    slotOf('sast_scan', scanItem('sast_scan', { high: 2 }), scanItem('sast_scan', { high: 1 })),
    slotOf('security', scanItem('security', {})),
  ];
  const gatesIn = (content: Partial<EvidenceContent>): readonly string[] => {
    const { text } = evidencePage({ ...CONTENT, set: SET, qualityGates: LIMITS, ...content });
    return /\| quality gate .*\n.*\n((?:\|.*\n)*)/.exec(text)?.[1]?.trimEnd().split('\n') ?? [];
  };

  it('shows each limit of the policy with the measured value', () => {
    expect(gatesIn({ predecessorLinePercent: 88 })).toEqual([
      '| line coverage of each pipeline | at least 80 % | 87.5 % |',
      '| drop of line coverage since the last shipped release | at most 1 points | 87.5 %, and 88 % before |',
      '| `critical` findings of `sast_scan` | at most 0 | 0 |',
      '| `high` findings of `sast_scan` | at most 3 | 3 |',
      '| `critical` findings of `security` | at most 0 | 0 |',
    ]);
    expect(gatesIn({})[1]).toContain('| no release with a measured value was shipped before |');
    expect(evidencePage(CONTENT).text).toContain('\nThe policy sets no quality gates.\n');
  });

  it('marks the limits that are not met, also if there is no evidence for one', () => {
    const set = [slotOf('coverage', coverageItem(70)), slotOf('sast_scan', scanItem('sast_scan', { critical: 1 }))];
    const results = gatesIn({ set, predecessorLinePercent: 90 }).map(
      (line) => /\*\*Not met:\*\* `(.*)` \|$/.exec(line)?.[1],
    );
    expect(results).toEqual([
      'Line coverage of "build" (ci) is 70 %, below 80 %.',
      'Line coverage dropped by 20 points since the last shipped release; 1 are allowed.',
      '1 critical findings in "sast_scan"; 0 are allowed.',
      undefined,
      'A quality gate requires "security" evidence. None was uploaded for the candidate.',
    ]);
  });

  it('names the waived conditions and the admins, and does not claim that everything passes, if there is a waiver', () => {
    const waiver = {
      reason: 'Measured by hand.',
      requestedBy: { id: 1, login: 'ada' },
      confirmedBy: { id: 2, login: 'grace' },
      expiresAt: new Date('2026-01-02T03:04:05Z'),
      conditions: [{ code: 'quality_gate_failing' as const, detail: 'Line coverage is 70 %.', actor: 'team' as const }],
    };
    const line =
      '- `Line coverage is 70 %.` Waived by `ada` and `grace` until `2026-01-02T03:04:05.000Z`: `Measured by hand.`';
    const failing = evidencePage({ ...CONTENT, testsPassing: false, waivers: [waiver] }).text;
    expect(failing).not.toContain('Every required check');
    expect(failing).toContain(
      `**Not everything passes at this commit.** Admins have waived these conditions:\n\n${line}\n\n`,
    );
    const passing = evidencePage({ ...CONTENT, waivers: [waiver] }).text;
    expect(passing).toContain(`passes at this commit.\nAdmins have waived these other conditions:\n\n${line}\n\n`);
  });

  const RUNS = 'https://github.test/acme/payments/actions/runs';
  const runCell = (url: string): string => {
    const [item] = ITEMS;
    if (!item) throw new Error('no piece');
    const set = [
      {
        pipeline: 'build',
        kind: 'coverage' as const,
        environment: 'ci',
        items: [item],
        flaky: false,
        provenRun: null,
      },
    ];
    const { text } = evidencePage({ ...CONTENT, set, runUrls: new Map([[item.id, url]]) });
    return /.*\| (.*) \|\n\nApproving/.exec(text)?.[1] ?? '';
  };

  it.each([
    [`${RUNS}/4711/attempts/1`, `[run \`4711\`](${RUNS}/4711/attempts/1)`],
    [`${RUNS}/4711/attempts/3`, `[run \`4711\`, attempt 3](${RUNS}/4711/attempts/3)`],
    [`${RUNS}/4711`, `[run \`4711\`](${RUNS}/4711)`],
  ])('links to a run of the same repository, such as %s', (url, text) => {
    expect(runCell(url)).toBe(text);
  });

  it.each([
    `${RUNS}/4711/../../../../../evil`,
    `${RUNS}/4711?x=1`,
    `${RUNS}/4711#x`,
    'https://github.test/acme/payments.evil/actions/runs/4711',
    'https://github.test/acme/payments',
    'https://ci.example/x)![](https://evil.example/a.png)',
    'javascript:alert(1)',
  ])('shows any other URL as text, such as %s', (url) => {
    const cell = runCell(url);
    expect(outsideCode(cell)).toBe('<p><code></code></p>');
    expect(insideCode(cell)).toEqual([url]);
  });

  it('escapes all text of an upload, and so does the pull request', () => {
    const written = (text: string): readonly string[] => {
      const named = { pipeline: text, environment: text, job: text };
      const items = [
        coverageItem(87.5, { ...named, id: 'a', run: { id: text, proven: false } }),
        scanItem('sast_scan', {}, { ...named, id: 'b', failures: [text, text] }),
      ];
      const waivers = [
        {
          reason: text,
          requestedBy: { id: 1, login: 'ada' },
          confirmedBy: { id: 2, login: 'grace' },
          expiresAt: new Date(0),
          conditions: [{ code: 'quality_gate_failing' as const, detail: text, actor: 'team' as const }],
        },
      ];
      const qualityGates = { ...DEFAULT_POLICY.qualityGates, coverage: { minLinePercent: 90, maxDrop: null } };
      const set = [
        { pipeline: text, kind: 'coverage' as const, environment: text, items, flaky: true, provenRun: null },
      ];
      const content = { ...CONTENT, set, waivers, qualityGates, runUrls: new Map([['b', text]]) };
      return [evidencePage(content), pullBody(content, CANDIDATE)].map((page) => outsideCode(page.text));
    };
    const structure = written('x');
    assert(
      property(hostileText(), (text) => {
        expect(written(`x${text}`)).toEqual(structure);
      }),
    );
  });
});
