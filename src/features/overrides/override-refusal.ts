/** What somebody is told whose act the rules do not allow: each sentence says what to do next. */
import { DomainError } from '../../http/errors/domain-error.js';

export const noSuchAct = (): DomainError =>
  new DomainError('not_found', 'The release has no such request that stands: it may be over, or withdrawn.');

export const shippedAlready = (): DomainError =>
  new DomainError('conflict', 'The release is shipped: nothing of it can be set aside any more.');

export const cancelledRelease = (): DomainError =>
  new DomainError('conflict', 'The release is cancelled: reopen its milestone first.');

export const noCandidate = (): DomainError =>
  new DomainError('conflict', 'The release has no candidate yet: what is set aside is set aside for one commit.');

export const notTheCandidate = (candidateSha: string): DomainError =>
  new DomainError('conflict', `The candidate is ${candidateSha} now: look at that one, and ask anew.`);

export const notUnmet = (condition: string): DomainError =>
  new DomainError('conflict', `Nothing called ${condition} keeps the release back now.`);

export const unknownCondition = (): DomainError =>
  new DomainError('invalid', 'condition must be the code of a condition that keeps a release back.');

export const notWaivable = (condition: string, why: string): DomainError =>
  new DomainError('unprocessable', `${condition} cannot be waived: ${why}`);

export const badExpiry = (): DomainError => new DomainError('invalid', 'expiresAt must be within the next 7 days.');

export const tooManyActs = (most: number): DomainError =>
  new DomainError('conflict', `${most} requests of this kind stand for the release already: withdraw one first.`);

export const ownRequest = (): DomainError =>
  new DomainError('forbidden', 'Nobody confirms their own request: have another admin look at it.');

export const confirmedAlready = (): DomainError => new DomainError('conflict', 'It was confirmed already.');

export const requesterLeft = (): DomainError =>
  new DomainError('conflict', 'Whoever asked for it is no admin any more: ask for it yourself, and have it confirmed.');

export const severalWait = (): DomainError =>
  new DomainError('conflict', 'More than one request waits: confirm the one that you mean by its id.');
