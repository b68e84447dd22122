import { CATEGORY_NAMES, type CategoryName } from '../../../../domain/quality/score-category.js';
import { type Grade, GRADES } from '../../../../domain/quality/scorecard.js';
import type { ReleaseGroupDto } from '../../quality.dto.js';

/** A mean and the number of its values. */
export interface Mean {
  readonly count: number;
  /** Rounded to a tenth; null without values. */
  readonly mean: number | null;
}

/** The summary of a repository over all its releases in the report. */
export interface RepositorySummary {
  readonly org: string;
  readonly repo: string;
  readonly releases: number;
  readonly score: Mean;
  /** The values of the release with the newest evidence. */
  readonly latest: { readonly version: string; readonly grade: Grade | null };
}

class Sum {
  count = 0;
  #total = 0;

  add(value: number | null): void {
    if (value === null) return;
    this.count += 1;
    this.#total += value;
  }

  get mean(): Mean {
    return { count: this.count, mean: this.count === 0 ? null : Math.round((this.#total / this.count) * 10) / 10 };
  }
}

type RepositoryCount = Omit<RepositorySummary, 'releases' | 'score'> & { releases: number; readonly score: Sum };

/** Summarizes any number of releases. Its memory depends on the number of repositories only. */
export class QualitySummary {
  releases = 0;
  results = 0;
  /** The number of releases whose tests were compared by name with those of their predecessor. */
  compared = 0;
  /** The number of these with a new failing test. */
  regressed = 0;
  readonly #score = new Sum();
  readonly #grades = new Map<Grade | null, number>();
  readonly #categories = new Map<CategoryName, Sum>(CATEGORY_NAMES.map((name) => [name, new Sum()]));
  readonly #months = new Map<string, Sum>();
  readonly #repositories = new Map<string, RepositoryCount>();

  add(group: ReleaseGroupDto): void {
    const { scorecard, results, change, org, repo, version } = group;
    this.releases += 1;
    this.results += results.length + group.moreResults;
    if (change?.tests) this.compared += 1;
    if ((change?.tests?.newFailures.count ?? 0) > 0) this.regressed += 1;
    this.#score.add(scorecard.score);
    this.#grades.set(scorecard.grade, (this.#grades.get(scorecard.grade) ?? 0) + 1);
    for (const { name, score } of scorecard.categories) this.#categories.get(name)?.add(score);
    const month = results[0]?.createdAt.toISOString().slice(0, 'yyyy-mm'.length);
    if (month !== undefined) given(this.#months, month, () => new Sum()).add(scorecard.score);
    const repository = given(this.#repositories, JSON.stringify([org, repo]), () => ({
      org,
      repo,
      releases: 0,
      score: new Sum(),
      latest: { version, grade: scorecard.grade },
    }));
    repository.releases += 1;
    repository.score.add(scorecard.score);
  }

  get score(): Mean {
    return this.#score.mean;
  }

  /** The number of releases per grade, best first, releases without a grade last. */
  get grades(): readonly { readonly grade: Grade | null; readonly releases: number }[] {
    return [...GRADES, null].map((grade) => ({ grade, releases: this.#grades.get(grade) ?? 0 }));
  }

  get categories(): readonly (Mean & { readonly name: CategoryName })[] {
    return [...this.#categories].map(([name, { mean }]) => ({ name, ...mean }));
  }

  /** The mean score by the month of the newest evidence of a release, in UTC, earliest first. */
  get months(): readonly (Mean & { readonly month: string })[] {
    return [...this.#months]
      .map(([month, { mean }]) => ({ month, ...mean }))
      .filter(({ count }) => count > 0)
      .sort((one, other) => (one.month < other.month ? -1 : 1));
  }

  /** Sorted by name. */
  get repositories(): readonly RepositorySummary[] {
    return [...this.#repositories.values()]
      .map(({ score, ...repository }) => ({ ...repository, score: score.mean }))
      .sort((one, other) => (one.repo.toLowerCase() < other.repo.toLowerCase() ? -1 : 1));
  }
}

function given<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
  const found = map.get(key);
  if (found !== undefined) return found;
  const created = create();
  map.set(key, created);
  return created;
}
