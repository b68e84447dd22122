/** A process that requests the gate. It runs one round per message and reports the measurement. */
import { serveRounds } from '../measuring/load-orders.js';
import type { Population } from './population.js';
import { gateRequests } from './gate-requests.js';

serveRounds((population: Population) => gateRequests(population));
