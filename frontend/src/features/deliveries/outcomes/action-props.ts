import type { Delivery } from '../delivery-queries';

/** What every dialog of an action gets. */
export interface ActionProps {
  delivery: Delivery;
  onReload: () => void;
  onClose: () => void;
}
