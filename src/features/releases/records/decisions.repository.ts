import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../../database/database.js';
import type { Policy } from '../../../domain/policy/policy.js';
import type { Verdict, VerdictInputs } from '../../../domain/release/evaluate.js';
import { toStoredInputs, toStoredVerdict } from '../../../domain/release/replay.js';
import { asTimestamp } from './releases.repository.js';

export interface Transition {
  readonly from: string | null;
  readonly to: string;
  /** The cause of the evaluation, such as `webhook pull_request_review` or `evidence`. */
  readonly cause: string;
  readonly actor: string;
  readonly at: Date;
  readonly inputDigest: string;
}

export interface Decided {
  readonly verdict: Verdict;
  readonly policy: Policy | null;
  /** The line coverage of the predecessor at that time; null if there was none or it had no coverage. */
  readonly predecessorLinePercent: number | null;
}

/** A decision that an evaluation confirmed, and until when it opens the gate, in milliseconds; null means closed. */
interface Confirmation {
  readonly decisionId: string;
  readonly at: Date;
  readonly openUntil: number | null;
}

/** Appends the decisions, their confirmations and the changes of stage. None of them is ever changed. */
@Injectable()
export class DecisionsRepository {
  async recordTransition(tx: TenantTransaction, releaseId: string, transition: Transition): Promise<void> {
    const { from, to, cause, actor, at, inputDigest } = transition;
    await tx.query(
      `insert into stage_transition (org_id, release_id, from_stage, to_stage, cause, actor, at, input_digest)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [tx.orgId, releaseId, from, to, cause, actor, at, inputDigest],
    );
  }

  /**
   * Saves a verdict with its inputs, so that it can be shown and replayed. It counts towards the storage of the workspace: each
   * of many uploads may lead to a decision that contains all uploads before it.
   */
  async create(tx: TenantTransaction, releaseId: string, verdict: Verdict, inputs: VerdictInputs): Promise<string> {
    const id = randomUUID();
    await tx.query(
      `insert into decision (org_id, id, release_id, at, open, candidate_sha, policy_digest, verdict, inputs)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [
        tx.orgId,
        id,
        releaseId,
        inputs.now,
        verdict.gate.openUntil !== null,
        verdict.candidateSha,
        verdict.policyDigest,
        JSON.stringify(toStoredVerdict(verdict)),
        JSON.stringify(toStoredInputs(inputs)),
      ],
    );
    // The stored size counts, which is compressed, because a decision repeats much of the previous one.
    await tx.queryPrepared(
      'count_decision_bytes',
      `insert into storage_usage_change (org_id, bytes)
       select org_id, pg_column_size(verdict) + pg_column_size(inputs) from decision where id = $1`,
      [id],
    );
    return id;
  }

  /** Records the state of the gate from a time on, unless the latest record is the same. */
  async recordConfirmation(
    tx: TenantTransaction,
    releaseId: string,
    { decisionId, at, openUntil }: Confirmation,
  ): Promise<void> {
    await tx.queryPrepared(
      'record_confirmation',
      `insert into gate_confirmation (org_id, release_id, decision_id, confirmed_at, open_until)
       select $1, $2, $3, $4, $5 where not exists (
         select from (select decision_id, open_until from gate_confirmation where release_id = $2 order by id desc limit 1)
           as last
         where last.open_until is not distinct from $5 and (last.decision_id = $3 or $5 is null))`,
      [tx.orgId, releaseId, decisionId, at, asTimestamp(openUntil)],
    );
  }

  /** Returns the verdict and its policy, which is null if it was not valid; null if there is no such decision. */
  async findDecided(tx: TenantTransaction, decisionId: string): Promise<Decided | null> {
    const [row] = await tx.query<Decided>(
      `select verdict, (
         select seen.fact #> '{value,policy}' from jsonb_array_elements(inputs -> 'observations') as seen (fact)
         where seen.fact ->> 'kind' = 'policy' and seen.fact #>> '{value,status}' = 'valid' limit 1) as policy,
         (inputs #>> '{record,predecessor,linePercent}')::float8 as "predecessorLinePercent"
       from decision where id = $1`,
      [decisionId],
    );
    return row ?? null;
  }

  async findLatest(tx: TenantTransaction, releaseId: string): Promise<string | null> {
    const [row] = await tx.queryPrepared<{ readonly id: string }>(
      'find_latest_decision',
      `select id from decision where release_id = $1 order by sequence desc limit 1`,
      [releaseId],
    );
    return row?.id ?? null;
  }
}
