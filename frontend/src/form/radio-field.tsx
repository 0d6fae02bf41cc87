import type { ComponentProps, ReactNode } from 'react';
import type { FieldError } from 'react-hook-form';
import { FieldGroup } from '@/ui/field-group';
import { RadioCard } from '@/ui/radio-card';
import { ruleMessage } from './rule-message';

type Card = Pick<ComponentProps<typeof RadioCard>, 'label' | 'text' | 'icon' | 'disabled'> & {
  value: string;
};

interface RadioFieldProps
  extends Omit<ComponentProps<typeof RadioCard>, 'label' | 'text' | 'icon' | 'value' | 'size'> {
  label: string;
  error: FieldError | undefined;
  hint?: ReactNode;
  optional?: boolean;
  options: readonly Card[];
}

/** One of a few, each a card. What `register` answers goes to all of them. */
export function RadioField(props: RadioFieldProps) {
  const { label, error, hint, optional = false, options, className, ...input } = props;
  return (
    <FieldGroup legend={label} hint={hint} error={ruleMessage(label, error)} optional={optional}>
      <div className="flex flex-wrap gap-2">
        {options.map((option) => (
          <RadioCard
            key={option.value}
            {...input}
            {...option}
            {...(className !== undefined && { className })}
          />
        ))}
      </div>
    </FieldGroup>
  );
}
