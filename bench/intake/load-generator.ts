/** A process that sends deliveries. It runs one round per message and reports the measurement. */
import { serveRounds } from '../measuring/load-orders.js';
import { deliveryRequests } from './delivery.js';

serveRounds(() => deliveryRequests());
