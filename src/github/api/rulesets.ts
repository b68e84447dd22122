import type { Clock } from '../../config/clock.js';
import type { BypassActor, Rule, Ruleset } from '../../domain/repository/ruleset.js';
import { observe, type Observed } from '../transport/github-clock.js';
import { GitHubError } from '../transport/github-error.js';
import type { JsonReader } from '../transport/json-reader.js';
import type { RepositoryRef } from '../transport/token-scope.js';
import type { RepositoryCalls, RepositoryParameters } from './repository-calls.js';

export interface ExistingRuleset extends Ruleset {
  readonly id: number;
}

interface RulesetName {
  readonly id: number;
  readonly name: string;
}

type Content = RepositoryParameters<RepositoryCalls['rest']['repos']['createRepoRuleset']>;

/** Rulesets of a repository, without those of its organization: https://docs.github.com/rest/repos/rules */
export class Rulesets {
  constructor(
    private readonly calls: RepositoryCalls,
    private readonly clock: Clock,
  ) {}

  /** Lists the rulesets with one of these names; null if this GitHub or its plan has no rulesets. */
  async listByName(
    ref: RepositoryRef,
    names: readonly string[],
    signal?: AbortSignal,
  ): Promise<Observed<readonly ExistingRuleset[] | null>> {
    return observe(this.clock, async () => {
      const listed = await this.list(ref, signal);
      if (listed === null) return null;
      const matching = listed.filter(({ name }) => names.includes(name));
      const found: ExistingRuleset[] = [];
      for (const { id } of matching) {
        const { value: ruleset } = await this.find(ref, id, signal);
        if (ruleset) found.push(ruleset);
      }
      return found;
    });
  }

  /** Creates a ruleset. Fails as `invalid` if one has this name. */
  async create(ref: RepositoryRef, ruleset: Ruleset, signal?: AbortSignal): Promise<void> {
    await this.calls.write(ref, this.calls.rest.repos.createRepoRuleset, toRulesetContent(ruleset), nothing, {
      idempotent: false,
      signal,
    });
  }

  async replace(ref: RepositoryRef, id: number, ruleset: Ruleset, signal?: AbortSignal): Promise<void> {
    await this.calls.write(
      ref,
      this.calls.rest.repos.updateRepoRuleset,
      { ruleset_id: id, ...toRulesetContent(ruleset) },
      nothing,
      { idempotent: true, signal },
    );
  }

  /** Reads one page, because a repository has at most 75 rulesets ("About rulesets"). */
  private async list(ref: RepositoryRef, signal?: AbortSignal): Promise<readonly RulesetName[] | null> {
    try {
      const { value } = await this.calls.find(
        ref,
        this.calls.rest.repos.getRepoRulesets,
        { includes_parents: false, per_page: 100 },
        (page) => page.items().map((item) => ({ id: item.integer('id'), name: item.text('name') })),
        signal,
      );
      return value;
    } catch (error) {
      if (isUnsupportedByPlan(error)) return null;
      throw error;
    }
  }

  /** Returns a ruleset; null if it was deleted after it was listed. */
  private async find(ref: RepositoryRef, id: number, signal?: AbortSignal): Promise<Observed<ExistingRuleset | null>> {
    return this.calls.find(
      ref,
      this.calls.rest.repos.getRepoRuleset,
      { ruleset_id: id, includes_parents: false },
      parseRuleset,
      signal,
    );
  }
}

/** Returns whether the plan of the repository has no rulesets. GitHub reports this only in the message of a 403. */
export const isUnsupportedByPlan = (error: unknown): boolean =>
  GitHubError.is(error, 'forbidden') && /\bupgrade to github\b/i.test(error.message);

const nothing = (): null => null;

function parseRuleset(body: JsonReader): ExistingRuleset {
  const refs = body.objectOrNull('conditions')?.objectOrNull('ref_name');
  return {
    id: body.integer('id'),
    name: body.text('name'),
    target: body.textOrNull('target') ?? 'branch',
    enforcement: body.text('enforcement'),
    include: refs?.textsOrEmpty('include') ?? [],
    exclude: refs?.textsOrEmpty('exclude') ?? [],
    bypassActors: body.has('bypass_actors') ? body.list('bypass_actors').map(parseBypassActor) : null,
    rules: body.listOrEmpty('rules').map(parseRule),
  };
}

const parseBypassActor = (actor: JsonReader): BypassActor => ({
  type: actor.text('actor_type'),
  id: actor.integerOrNull('actor_id'),
});

const parseRule = (rule: JsonReader): Rule => ({
  type: rule.text('type'),
  parameters: rule.fieldsOrEmpty('parameters'),
});

function toRulesetContent({ name, target, enforcement, include, exclude, bypassActors, rules }: Ruleset): Content {
  return {
    name,
    target,
    enforcement,
    conditions: { ref_name: { include: [...include], exclude: [...exclude] } },
    // Without this member GitHub leaves the existing bypass actors unchanged.
    ...(bypassActors && {
      bypass_actors: bypassActors.map(({ type, id }) => ({ actor_type: type, actor_id: id, bypass_mode: 'always' })),
    }),
    rules: rules.map(({ type, parameters }) =>
      // GitHub rejects empty parameters for some types of rules.
      Object.keys(parameters).length === 0 ? { type } : { type, parameters },
    ),
    // Rules of unknown types are sent back as GitHub returned them.
  } as Content;
}
