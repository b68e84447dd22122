/** A process of its own that asks the gate, one round with each order that it is sent, and answers with what it measured. */
import { followOrders } from '../measuring/load-orders.js';
import type { Population } from './population.js';
import { questionsOf } from './question.js';

followOrders((population: Population) => questionsOf(population));
