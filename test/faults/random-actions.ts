import type { Host } from './start-github.js';

const RELEASES_A_CYCLE = 4;

/** Creates milestones with an issue each. Their deliveries arrive twice in one cycle and out of order in the next. */
export function performRandomActions({ outbox, repository }: Host, cycle: number): void {
  outbox.faults.next({ kind: cycle % 2 === 0 ? 'duplicate' : 'reorder', times: RELEASES_A_CYCLE });
  for (let minor = 0; minor < RELEASES_A_CYCLE; minor += 1) {
    const milestone = repository.milestones.create({ title: `v${cycle + 1}.${minor}.0` });
    repository.issues.create({ title: `Issue ${minor}`, milestone });
  }
}
