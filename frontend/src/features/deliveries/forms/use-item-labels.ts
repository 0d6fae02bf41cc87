import { useTranslation } from 'react-i18next';
import { ITEM_FIELDS } from './item-values';

/** Labels in the order on screen, for the messages above a form. */
export function useItemLabels(): Record<(typeof ITEM_FIELDS)[number], string> {
  const { t } = useTranslation('deliveries');
  return Object.fromEntries(ITEM_FIELDS.map((name) => [name, t(`fields.${name}`)])) as ReturnType<
    typeof useItemLabels
  >;
}
