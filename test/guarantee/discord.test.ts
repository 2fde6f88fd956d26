import { guaranteeTests } from "./suite.ts";

guaranteeTests("discord");
