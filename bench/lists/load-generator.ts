/** A process that requests a page. It runs one round per message and reports the measurement. */
import { serveRounds } from '../measuring/load-orders.js';
import { type ListSubject, listRequests } from './list-requests.js';

serveRounds((subject: ListSubject) => listRequests(subject));
