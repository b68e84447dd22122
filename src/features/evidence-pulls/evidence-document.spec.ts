import { describe, expect, it } from '@jest/globals';
import { assert, property } from 'fast-check';
import { canonicalJson, type JsonObject } from '../../domain/audit/canonical-json.js';
import { CANDIDATE, coveragePiece, scanPiece } from '../../../test/support/given-facts.js';
import { givenSigner } from '../../../test/support/given-pack.js';
import { hostileText } from '../../../test/support/hostile-text.js';
import { insideCode, outsideCode } from '../../../test/support/rendered-markdown.js';
import { isSignedBy } from '../signing/public-key.js';
import { type EvidenceContent, evidenceJson, evidencePage, pullBody } from './evidence-document.js';

const signer = givenSigner();
const PIECES = [
  coveragePiece(1e-7, { pipeline: 'prüfen "alles" \u2028 🚀' }),
  coveragePiece(1e21),
  coveragePiece(87.5),
  coveragePiece(null),
];
const CONTENT: EvidenceContent = {
  repository: 'acme/payments',
  repositoryUrl: 'https://github.test/acme/payments',
  version: 'v1.0.0',
  candidateSha: CANDIDATE,
  policyDigest: 'a'.repeat(64),
  setDigest: 'b'.repeat(64),
  set: [{ pipeline: 'build', kind: 'coverage', environment: 'ci', pieces: PIECES, flaky: true, provenRun: null }],
  revision: 0,
  approvalsRequired: 1,
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

  it('is signed over the canonical JSON of what a reader finds in it, whatever numbers and texts that has', () => {
    const { signature, ...document } = JSON.parse(evidenceJson(CONTENT, signer)) as Signed;
    expect(signature).toMatchObject({ algorithm: 'Ed25519', keyId: signer.keyId });
    expect(isSignedBy(signer.x, Buffer.from(canonicalJson(document)), signature.value)).toBe(true);
    expect(isSignedBy(signer.x, Buffer.from(canonicalJson({ ...document, revision: 1 })), signature.value)).toBe(false);
  });
});

describe("the pull request's text", () => {
  const written = (count: number): string => {
    const pieces = Array.from({ length: count }, (_, at) =>
      coveragePiece(at % 100, { id: `p${at}`, job: `構築 ${at}` }),
    );
    const set = [
      { pipeline: 'build', kind: 'coverage' as const, environment: 'ci', pieces, flaky: false, provenRun: null },
    ];
    return pullBody({ ...CONTENT, set }, CANDIDATE).text;
  };

  it('holds the whole page where GitHub takes it', () => {
    expect(written(100)).toContain(evidencePage({ ...CONTENT, set: [] }).text.slice(-200));
    expect(written(100)).not.toContain('only the beginning');
  });

  it('is cut where it would be longer than GitHub takes, and leads to the whole page', () => {
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
  const RUNS = 'https://github.test/acme/payments/actions/runs';
  const runCell = (url: string): string => {
    const [piece] = PIECES;
    if (!piece) throw new Error('no piece');
    const set = [
      {
        pipeline: 'build',
        kind: 'coverage' as const,
        environment: 'ci',
        pieces: [piece],
        flaky: false,
        provenRun: null,
      },
    ];
    const { text } = evidencePage({ ...CONTENT, set, runUrls: new Map([[piece.id, url]]) });
    return /.*\| (.*) \|\n\nApproving/.exec(text)?.[1] ?? '';
  };

  it.each([
    [`${RUNS}/4711/attempts/1`, `[run \`4711\`](${RUNS}/4711/attempts/1)`],
    [`${RUNS}/4711/attempts/3`, `[run \`4711\`, attempt 3](${RUNS}/4711/attempts/3)`],
    [`${RUNS}/4711`, `[run \`4711\`](${RUNS}/4711)`],
  ])('leads to a run of the repository itself, such as %s', (url, shown) => {
    expect(runCell(url)).toBe(shown);
  });

  it.each([
    `${RUNS}/4711/../../../../../evil`,
    `${RUNS}/4711?x=1`,
    `${RUNS}/4711#x`,
    'https://github.test/acme/payments.evil/actions/runs/4711',
    'https://github.test/acme/payments',
    'https://ci.example/x)![](https://evil.example/a.png)',
    'javascript:alert(1)',
  ])('shows any other address as text, such as %s', (url) => {
    const cell = runCell(url);
    expect(outsideCode(cell)).toBe('<p><code></code></p>');
    expect(insideCode(cell)).toEqual([url]);
  });

  it('lets no text of an upload become anything but text, nor does the pull request', () => {
    const written = (text: string): readonly string[] => {
      const named = { pipeline: text, environment: text, job: text };
      const pieces = [
        coveragePiece(87.5, { ...named, id: 'a', run: { id: text, proven: false } }),
        scanPiece('sast_scan', {}, { ...named, id: 'b', failures: [text, text] }),
      ];
      const set = [
        { pipeline: text, kind: 'coverage' as const, environment: text, pieces, flaky: true, provenRun: null },
      ];
      const content = { ...CONTENT, set, runUrls: new Map([['b', text]]) };
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
