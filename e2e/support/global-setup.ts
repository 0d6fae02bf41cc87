import { createAdmin } from './api.ts';
import { startProduct } from '../../contract/product.mjs';

/** Deliveries in every state, of the last weeks. */
const SEEDED = '400';

/** One product with demo data and an account for all tests but those that need an untouched one. */
export default async function globalSetup() {
  const product = await startProduct({ first: [['seed', '--deliveries', SEEDED]] });
  process.env.WAYBILL_URL = product.url;
  process.env.WAYBILL_INGEST = product.ingest;
  await createAdmin(product.url);
  return async () => {
    const code = await product.stop();
    if (code !== 0) throw new Error(`the product ended with ${code} when it was asked to stop`);
  };
}
