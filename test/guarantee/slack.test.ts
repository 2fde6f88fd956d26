import { guaranteeTests } from "./suite.ts";

guaranteeTests("slack");
