import { useTranslation } from 'react-i18next';
import { Checkbox } from '@/ui/checkbox';
import { FieldGroup } from '@/ui/field-group';

interface GroupingFieldProps {
  label: string;
  error: string | undefined;
  /** The columns that are dimensions. */
  columns: readonly { member: string; title: string }[];
  value: string[];
  onChange: (members: string[]) => void;
}

/** Rows that are the same in these are counted together. */
export function GroupingField({ label, error, columns, value, onChange }: GroupingFieldProps) {
  const { t } = useTranslation('report-settings');
  return (
    <FieldGroup legend={label} error={error} hint={t('grouping.hint')}>
      <div className="flex flex-wrap gap-x-4 gap-y-1">
        {columns.map(({ member, title }) => (
          <Checkbox
            key={member}
            id={`group-${member}`}
            label={title}
            checked={value.includes(member)}
            className="min-h-7 items-center pointer-coarse:min-h-11"
            onChange={({ target }) =>
              onChange(
                target.checked ? [...value, member] : value.filter((entry) => entry !== member),
              )
            }
          />
        ))}
        {columns.length === 0 && <p className="text-sm text-muted">{t('grouping.none')}</p>}
      </div>
    </FieldGroup>
  );
}
