import { RefreshCw } from 'lucide-react';
import type { FieldError, UseFormRegisterReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { SelectField } from '@/form/fields';
import { Button } from '@/ui/button';
import { Note } from '@/ui/note';
import type { ReasonAppliesTo } from '../delivery-queries';
import type { Reasons } from '../use-reasons';

interface ReasonFieldProps extends UseFormRegisterReturn {
  appliesTo: ReasonAppliesTo;
  reasons: Reasons;
  error: FieldError | undefined;
}

/** Why: one of the catalogue. */
export function ReasonField({ appliesTo, reasons, error, ...select }: ReasonFieldProps) {
  const { t } = useTranslation(['outcomes', 'common']);
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <SelectField
        {...select}
        label={t('fields.outcomeReason')}
        error={error}
        placeholder={t(reasons.isLoading ? 'reasonsLoading' : 'chooseReason')}
      >
        {reasons.active(appliesTo).map(({ code, label }) => (
          <option key={code} value={code}>
            {label}
          </option>
        ))}
      </SelectField>
      {reasons.failed && (
        <Note
          tone="bad"
          role="alert"
          action={
            <Button size={28} icon={RefreshCw} onClick={reasons.retry}>
              {t('retry', { ns: 'common' })}
            </Button>
          }
        >
          {t('reasonsFailed')}
        </Note>
      )}
    </div>
  );
}
