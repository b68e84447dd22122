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

/** The rulesets of repositories, those of their organization left out: https://docs.github.com/rest/repos/rules */
export class Rulesets {
  constructor(
    private readonly calls: RepositoryCalls,
    private readonly clock: Clock,
  ) {}

  /** The repository's own that bear one of these names; null where GitHub, or the plan there, offers no rulesets. */
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

  /** Refused as `invalid` where there is one of this name. */
  async create(ref: RepositoryRef, ruleset: Ruleset, signal?: AbortSignal): Promise<void> {
    await this.calls.write(ref, this.calls.rest.repos.createRepoRuleset, contentOf(ruleset), nothing, {
      idempotent: false,
      signal,
    });
  }

  async replace(ref: RepositoryRef, id: number, ruleset: Ruleset, signal?: AbortSignal): Promise<void> {
    await this.calls.write(
      ref,
      this.calls.rest.repos.updateRepoRuleset,
      { ruleset_id: id, ...contentOf(ruleset) },
      nothing,
      { idempotent: true, signal },
    );
  }

  /** One page holds them all: a repository may have 75 ("About rulesets"). */
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

  /** Null where it is gone since it was listed. */
  private async find(ref: RepositoryRef, id: number, signal?: AbortSignal): Promise<Observed<ExistingRuleset | null>> {
    return this.calls.find(
      ref,
      this.calls.rest.repos.getRepoRuleset,
      { ruleset_id: id, includes_parents: false },
      rulesetOf,
      signal,
    );
  }
}

/** GitHub refuses all that concerns rulesets of a repository whose plan has none, and says so in words alone. */
export const isUnsupportedByPlan = (error: unknown): boolean =>
  GitHubError.is(error, 'forbidden') && /\bupgrade to github\b/i.test(error.message);

const nothing = (): null => null;

function rulesetOf(body: JsonReader): ExistingRuleset {
  const refs = body.objectOrNull('conditions')?.objectOrNull('ref_name');
  return {
    id: body.integer('id'),
    name: body.text('name'),
    target: body.textOrNull('target') ?? 'branch',
    enforcement: body.text('enforcement'),
    include: refs?.textsOrEmpty('include') ?? [],
    exclude: refs?.textsOrEmpty('exclude') ?? [],
    bypassActors: body.has('bypass_actors') ? body.list('bypass_actors').map(bypassActor) : null,
    rules: body.listOrEmpty('rules').map(ruleOf),
  };
}

const bypassActor = (actor: JsonReader): BypassActor => ({
  type: actor.text('actor_type'),
  id: actor.integerOrNull('actor_id'),
});

const ruleOf = (rule: JsonReader): Rule => ({ type: rule.text('type'), parameters: rule.fieldsOrEmpty('parameters') });

function contentOf({ name, target, enforcement, include, exclude, bypassActors, rules }: Ruleset): Content {
  return {
    name,
    target,
    enforcement,
    conditions: { ref_name: { include: [...include], exclude: [...exclude] } },
    // Left out, GitHub keeps those that there are.
    ...(bypassActors && {
      bypass_actors: bypassActors.map(({ type, id }) => ({ actor_type: type, actor_id: id, bypass_mode: 'always' })),
    }),
    rules: rules.map(({ type, parameters }) =>
      // Some kinds of rules are refused with parameters, however empty.
      Object.keys(parameters).length === 0 ? { type } : { type, parameters },
    ),
    // The rules of others are handed back as GitHub gave them, whatever kinds it has by then.
  } as Content;
}
