import { DomainError } from '../../http/domain-error.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text may be the id of a request at all. */
export const isRequestId = (text: string): boolean => UUID.test(text);

export const noSuchRequest = (): DomainError => new DomainError('not_found', 'There is no such request.');
