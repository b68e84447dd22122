/** A process that requests the gate. It runs one round per message and reports the measurement. */
import { serveRounds } from '../measuring/load-orders.js';
import { gateRequests, type GateSubject } from './gate-requests.js';

serveRounds((subject: GateSubject) => gateRequests(subject));
