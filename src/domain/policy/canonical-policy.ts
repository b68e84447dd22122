import {
  impliesArtifact,
  impliesCheck,
  impliesClosedIssues,
  impliesEvidence,
  impliesReviewers,
  type Implies,
  withoutImplied,
  type CoverageLimits,
  type Policy,
  type SeverityLimits,
} from './policy.js';
import { holdPolicy, requiredArtifacts } from './policy-fields.js';

/** A part of the form, with values of JSON. */
type Form = Readonly<Record<string, unknown>>;

/**
 * Returns the form of a policy that its digest covers. Policies with the same effect have the same form: the sources, the
 * order of entries, names, reasons and requirements that another one implies do not count.
 */
export const canonicalPolicy = (policy: Policy): Form => ({
  releaseNaming: policy.releaseNaming,
  hotfixBranchPatterns: sorted(policy.hotfixBranchPatterns),
  evidenceEvents: sorted(policy.evidenceEvents),
  planning: {
    requireIssues: policy.planning.requireIssues,
    requireIssuesAssigned: policy.planning.requireIssuesAssigned,
  },
  development: {
    branch: policy.development.branch,
    deployTarget: environment(policy.development.deployTarget),
    ...soak(policy.development),
    requiredChecks: checks(policy.development.requiredChecks),
    closedIssues: reduced(policy.development.closedIssues, impliesClosedIssues, ({ exemptLabels }) => ({
      exemptLabels: sorted(exemptLabels),
    })),
  },
  testing: {
    branchPattern: policy.testing.branchPattern,
    deployTarget: environment(policy.testing.deployTarget),
    ...soak(policy.testing),
    requiredChecks: checks(policy.testing.requiredChecks),
    ...artifacts(policy),
  },
  evidencing: {
    requiredEvidence: reduced(
      policy.evidencing.requiredEvidence,
      impliesEvidence,
      ({ kind, environment: place, minTests, afterDeployment }) => ({
        kind,
        environment: place,
        minTests,
        ...(afterDeployment && { afterDeployment }),
      }),
    ),
    requiredReviewers: policy.deployment.requiresEvidenceApproval
      ? reduced(
          policy.evidencing.requiredReviewers,
          impliesReviewers,
          ({ minApprovals, teams, excludeReleaseAuthors, authorsMayObject = false }) => ({
            minApprovals,
            teams: sorted(teams),
            excludeReleaseAuthors,
            authorsMayObject,
          }),
        )
      : [],
  },
  deployment: {
    target: environment(policy.deployment.target),
    promotion: policy.deployment.promotion,
    requiresEvidenceApproval: policy.deployment.requiresEvidenceApproval,
    hold: { ...holdPolicy(policy) },
  },
  qualityGates: {
    coverage: limits(policy.qualityGates.coverage),
    sastScan: limits(policy.qualityGates.sastScan),
    security: limits(policy.qualityGates.security),
  },
  freezes: reduced(
    policy.freezes,
    (one, other) => one.from === other.from && one.to === other.to,
    ({ from, to }) => ({ from, to }),
  ),
});

const sorted = (values: readonly string[]): string[] => [...new Set(values)].sort();

/** Absent without a soak, so that policies from before there was one keep their digest. */
const soak = ({ soak: seconds }: { readonly soak?: number }): Form => (seconds === undefined ? {} : { soak: seconds });

const environment = (name: string | null): string | null => name?.toLowerCase() ?? null;

function reduced<T>(entries: readonly T[], implies: Implies<T>, toForm: (entry: T) => Form): Form[] {
  const forms = withoutImplied(entries, implies).map((entry) => {
    const form = toForm(entry);
    return { form, text: JSON.stringify(form) };
  });
  return forms.sort((a, b) => (a.text < b.text ? -1 : 1)).map(({ form }) => form);
}

const checks = (entries: Policy['testing']['requiredChecks']): Form[] =>
  reduced(entries, impliesCheck, ({ name, app, allowSkipped = false }) => ({ name, app, allowSkipped }));

/** Without required artifacts the form is the one from before they existed. */
function artifacts(policy: Policy): Form {
  const required = requiredArtifacts(policy);
  if (required.length === 0) return {};
  return {
    requiredArtifacts: reduced(required, impliesArtifact, ({ name, provenance, builder, signerWorkflow }) => ({
      name,
      provenance,
      builder,
      signerWorkflow,
    })),
  };
}

const limits = (gate: CoverageLimits | SeverityLimits): Form =>
  Object.fromEntries(Object.entries(gate).filter(([name]) => name !== 'sources'));
