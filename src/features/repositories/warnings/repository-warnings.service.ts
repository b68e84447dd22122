import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database, type Viewer } from '../../../database/database.js';
import { FACT_LIFETIME_MS } from '../../../domain/facts/facts.js';
import type { PolicyProblem } from '../../../domain/policy/policy.js';
import type { ProtectionStatus } from '../../../domain/repository/ruleset.js';
import { RepositoryQuotaRepository } from '../../../workspaces/repository-quota.repository.js';
import { type RepositoryState, RepositoryWarningsQueries } from './repository-warnings.queries.js';

/** Every warning that there is, by what it says. */
export const WARNING_CODES = [
  // The app is not installed in the organization any more.
  'installation_removed',
  // An owner of the organization has suspended the app.
  'installation_suspended',
  // Two repositories have one name, as while a rename is under way: nobody can tell which of them CI means.
  'ambiguous_name',
  // A managed repository has no sdlc.yaml.
  'policy_missing',
  'policy_invalid',
  // The policy was not read yet, or not for 20 minutes.
  'policy_unknown',
  // The policy is valid, and the plan has no room for another managed repository.
  'plan_limit',
  // The organization's owner has not accepted yet that the app reads Actions.
  'actions_not_readable',
  // Workflow files that were installed are changed on branches that releases are made from.
  'tampered',
  // Branch protection that was set up is weaker than the policy asks.
  'protection_drifted',
  // Branch protection could not be set up.
  'protection_failed',
  // The plan on GitHub has no rulesets.
  'protection_advisory',
] as const;

export type WarningCode = (typeof WARNING_CODES)[number];

export interface RepositoryWarning {
  readonly repositoryId: string;
  readonly repository: string;
  readonly code: WarningCode;
  /** A sentence that says what to do where something can be done. */
  readonly detail: string;
  /** Since when, as far as it was observed; null where no time is known. */
  readonly since: Date | null;
}

type Found = Pick<RepositoryWarning, 'code' | 'detail' | 'since'>;

/**
 * Why the gates of these repositories are closed, or may close soon, apart from what their releases lack; and where nothing
 * but agreement keeps people to the policy.
 */
export function findWarnings(
  repositories: readonly RepositoryState[],
  planIsFull: boolean,
  now: Date,
): readonly RepositoryWarning[] {
  const names = new Map<string, number>();
  for (const { name } of repositories) names.set(name.toLowerCase(), (names.get(name.toLowerCase()) ?? 0) + 1);
  return repositories.flatMap((repository) => {
    const { id: repositoryId, name } = repository;
    const installation = ofInstallation(repository);
    const isAmbiguous = (names.get(name.toLowerCase()) ?? 0) > 1;
    const found = [
      isAmbiguous ? ambiguousName(name) : null,
      // Of what nobody may read any more nothing further is said: it follows from this.
      ...(installation
        ? [installation]
        : [
            ofPolicy(repository, planIsFull, now),
            ofActions(repository),
            ofTampering(repository),
            ofProtection(repository),
          ]),
    ];
    return found.flatMap((warning) => (warning ? [{ repositoryId, repository: name, ...warning }] : []));
  });
}

const ambiguousName = (name: string): Found => ({
  code: 'ambiguous_name',
  detail: `Another repository is called ${name} as well, so CI cannot name either of them until one is renamed.`,
  since: null,
});

function ofInstallation({ installed, suspendedAt }: RepositoryState): Found | null {
  if (!installed) {
    const detail = 'The app is not installed in the organization any more; an owner can install it again.';
    return { code: 'installation_removed', detail, since: null };
  }
  if (suspendedAt === null) return null;
  const detail = 'The app is suspended in the organization; an owner can lift that in its settings on GitHub.';
  return { code: 'installation_suspended', detail, since: suspendedAt };
}

function ofPolicy({ policy, managed, createdAt }: RepositoryState, planIsFull: boolean, now: Date): Found | null {
  if (policy === null) {
    return { code: 'policy_unknown', detail: 'sdlc.yaml was not read yet; the sync will do it.', since: createdAt };
  }
  const { state, observedAt } = policy;
  const staleAt = new Date(observedAt.getTime() + FACT_LIFETIME_MS.policy);
  if (state.status === 'invalid') {
    return { code: 'policy_invalid', detail: problemsIn(state.problems), since: observedAt };
  }
  // A repository without a policy that nobody has onboarded is governed by nobody: nothing is wrong with it.
  if (state.status === 'missing') {
    const detail = 'There is no sdlc.yaml on the default branch, so no release passes testing.';
    return managed ? { code: 'policy_missing', detail, since: observedAt } : null;
  }
  if (!managed && planIsFull) {
    const detail = 'The plan has no room for another managed repository: ask for the pro plan, or release one of them.';
    return { code: 'plan_limit', detail, since: observedAt };
  }
  if (staleAt > now) return null;
  const detail = 'sdlc.yaml was not read for 20 minutes, so the gate is closed until GitHub answers again.';
  return { code: 'policy_unknown', detail, since: staleAt };
}

function ofActions({ managed, readsActions }: RepositoryState): Found | null {
  if (!managed || readsActions !== false) return null;
  const detail =
    'The app may not read Actions: until an owner accepts that in the settings of the organization on GitHub, the field job of ' +
    'uploads names the jobs of CI runs, and nobody waits for the other jobs of a matrix.';
  return { code: 'actions_not_readable', detail, since: null };
}

const WARNING_OF_PROTECTION: Readonly<Partial<Record<ProtectionStatus, WarningCode>>> = {
  drifted: 'protection_drifted',
  failed: 'protection_failed',
  advisory: 'protection_advisory',
};

function ofProtection({ protection }: RepositoryState): Found | null {
  const code = protection && WARNING_OF_PROTECTION[protection.status];
  return code ? { code, detail: protection.detail ?? '', since: protection.since } : null;
}

function ofTampering({ tampering }: RepositoryState): Found | null {
  if (!tampering) return null;
  const { files, branches, since, issueUrl } = tampering;
  const where = issueUrl === null ? '' : ` See ${issueUrl}.`;
  const detail = `${files.join(' and ')} changed on ${branches.join(', ')}: no release is deployed from there.${where}`;
  return { code: 'tampered', detail, since };
}

function problemsIn([first, ...others]: readonly PolicyProblem[]): string {
  if (!first) return 'sdlc.yaml does not validate.';
  const place = first.line === null ? 'sdlc.yaml' : `sdlc.yaml, line ${first.line}`;
  const key = first.key === '' ? '' : ` ${first.key}:`;
  const more = others.length === 0 ? '' : ` And ${others.length} more.`;
  return `${place}:${key} ${first.message}${more}`;
}

/** What keeps the repositories of a workspace from being governed as they should. */
@Injectable()
export class RepositoryWarningsService {
  constructor(
    private readonly database: Database,
    private readonly states: RepositoryWarningsQueries,
    private readonly clock: Clock,
    private readonly plan: RepositoryQuotaRepository,
  ) {}

  /** Of the repositories that the viewer may see, by name. */
  async list(viewer: Viewer): Promise<readonly RepositoryWarning[]> {
    const repositories = await this.database.asViewer(viewer, (tx) => this.states.list(tx));
    // Every managed repository takes a place, whoever may see it.
    const { used, limit } = await this.database.inTenant(viewer.orgId, (tx) => this.plan.getUsage(tx));
    return findWarnings(repositories, limit !== null && used >= limit, this.clock.now());
  }
}
