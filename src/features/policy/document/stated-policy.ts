import { TEST_KINDS, type EvidenceKind } from '../../../domain/evidence/evidence.js';
import { DEFAULT_POLICY } from '../../../domain/policy/default-policy.js';
import type { Freeze, RequiredCheck, RequiredEvidence } from '../../../domain/policy/policy.js';
import {
  assemblePolicy,
  POLICY_KEYS,
  policyValue,
  type PolicyKey,
  type PolicyValues,
} from '../../../domain/policy/policy-fields.js';
import type { StatedPolicy } from '../../../domain/policy/tighten.js';

type Mapping = Readonly<Record<string, unknown>>;

/** Keys whose values are written otherwise than the policy keeps them. */
const READ: { readonly [K in PolicyKey]?: (written: unknown) => PolicyValues[K] } = {
  'stages.development.required_checks': (written) => (written as (string | Mapping)[]).map(requiredCheck),
  'stages.testing.required_checks': (written) => (written as (string | Mapping)[]).map(requiredCheck),
  'stages.evidencing.required_evidence': (written) => (written as Mapping[]).map(requiredEvidence),
  freezes: (written) => (written as Mapping[]).map(freeze),
};

/** The policy that a document which satisfies the schema states, with every default filled in. */
export function statedPolicy(document: unknown): StatedPolicy {
  const written = new Map(
    POLICY_KEYS.map((key) => [key, valueAt(document, key)] as const).filter(([, value]) => value !== undefined),
  );
  const value = <K extends PolicyKey>(key: K): PolicyValues[K] => {
    if (!written.has(key)) return policyValue(DEFAULT_POLICY, key);
    const read: ((written: unknown) => PolicyValues[K]) | undefined = READ[key];
    return read === undefined ? (written.get(key) as PolicyValues[K]) : read(written.get(key));
  };
  return { policy: assemblePolicy(value), stated: new Set(written.keys()) };
}

/** What the document holds at a dotted path; undefined where it holds nothing. */
const valueAt = (document: unknown, key: string): unknown =>
  key.split('.').reduce<unknown>((value, step) => (value as Mapping | undefined)?.[step], document);

function requiredCheck(written: string | Mapping): RequiredCheck {
  if (typeof written === 'string') return { name: written, app: null };
  return {
    name: written['name'] as string,
    app: (written['app'] as string | undefined) ?? null,
    ...(written['allow_skipped'] === true ? { allowSkipped: true } : {}),
  };
}

function requiredEvidence(written: Mapping): RequiredEvidence {
  const kind = written['kind'] as EvidenceKind;
  return {
    kind,
    environment: (written['environment'] as string | undefined) ?? null,
    minTests:
      (written['min_tests'] as number | undefined) ?? ((TEST_KINDS as readonly string[]).includes(kind) ? 1 : 0),
  };
}

const freeze = (written: Mapping): Freeze => ({
  from: written['from'] as string,
  to: written['to'] as string,
  reason: (written['reason'] as string | undefined) ?? '',
});
