import { useTranslation } from 'react-i18next';

export function AuditEntity({ entity }: { entity: string }) {
  const { t } = useTranslation('audit');
  return t(`entities.${entity}`, { defaultValue: entity });
}
