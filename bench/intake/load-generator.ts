/** A process of its own that delivers, one round with each order that it is sent, and answers with what it measured. */
import { followOrders } from '../measuring/load-orders.js';
import { deliveries } from './delivery.js';

followOrders(() => deliveries());
