import { type FieldError, invalidForm } from "../refusal.ts";
import type { APIMessageTopLevelComponent } from "../wire-types.ts";

/** A component as far as its rules need it. */
interface Component {
  type: number;
  id?: number;
  style?: number;
  custom_id?: string | null;
  url?: string | null;
  label?: string | null;
  emoji?: unknown;
  components?: Component[];
  accessory?: Component;
}

const BUTTON = 2;
const LINK_STYLE = 5;

function inside(component: Component): Component[] {
  return [...(component.components ?? []), ...(component.accessory === undefined ? [] : [component.accessory])];
}

function complaints(component: Component, path: FieldError["path"], seen: Set<string>): FieldError[] {
  const errors: FieldError[] = [];
  const required = (field: string): void => {
    errors.push({ path: [...path, field], code: "BASE_TYPE_REQUIRED", message: "This field is required" });
  };
  if (component.type === BUTTON) {
    if (component.style === LINK_STYLE && (component.url ?? "") === "") required("url");
    if (component.style !== LINK_STYLE && component.style !== 6 && (component.custom_id ?? "") === "") {
      required("custom_id");
    }
    if ((component.label ?? "") === "" && (component.emoji ?? null) === null && component.style !== 6) {
      required("label");
    }
  }
  const id = component.custom_id ?? "";
  if (id !== "" && seen.has(id)) {
    errors.push({
      path: [...path, "custom_id"],
      code: "COMPONENT_CUSTOM_ID_DUPLICATED",
      message: "Component custom id cannot be duplicated",
    });
  }
  seen.add(id);
  const nested = (component.components ?? []).flatMap((inner, i) =>
    complaints(inner, [...path, "components", i], seen),
  );
  return [...errors, ...nested];
}

/** Checks the rules the schema does not hold (Component Reference) and numbers the components. */
export function withComponentIds(given: readonly APIMessageTopLevelComponent[]): APIMessageTopLevelComponent[] {
  // The published type is a union of forty shapes; the rules look at the few fields these have in common.
  const components = structuredClone(given) as unknown as Component[];
  const seen = new Set<string>();
  const errors = components.flatMap((component, index) => complaints(component, ["components", index], seen));
  if (errors.length > 0) throw invalidForm(...errors);
  let next = 0;
  const number = (component: Component): void => {
    next += 1;
    component.id ??= next;
    for (const inner of inside(component)) number(inner);
  };
  components.forEach(number);
  return components as unknown as APIMessageTopLevelComponent[];
}

/** A button that can be pressed, by its label or custom id. */
export function buttonIn(
  components: readonly APIMessageTopLevelComponent[],
  wanted: string,
): { id: number; customId: string; disabled: boolean } | null {
  const all = (list: readonly Component[]): Component[] => list.flatMap((c) => [c, ...all(inside(c))]);
  const found = all(components as unknown as Component[]).find(
    (c) => c.type === BUTTON && (c.label === wanted || c.custom_id === wanted),
  );
  if (found?.custom_id === undefined || found.custom_id === null) return null;
  return {
    id: found.id ?? 0,
    customId: found.custom_id,
    disabled: (found as { disabled?: boolean }).disabled === true,
  };
}
